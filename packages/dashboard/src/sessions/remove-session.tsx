import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queryText, send } from '../api/session.ts';
import { useFailureNotice } from '../parts/notice.tsx';
import { DeleteButton } from './delete-button.tsx';

/** A button that deletes a session after a question. */
export function RemoveSession({
  sessionId,
  userId,
}: {
  readonly sessionId: string;
  readonly userId: string;
}): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const failed = useFailureNotice();
  const { mutate, isPending } = useMutation({
    mutationFn: () => send('DELETE', `sessions/${encodeURIComponent(sessionId)}${queryText({ userId })}`),
    async onSuccess() {
      await navigate({ to: '/ui/sessions' });
      await client.invalidateQueries({ queryKey: ['sessions'], exact: true });
    },
    onError: failed,
  });
  return (
    <div className="ml-auto">
      <DeleteButton
        label="Delete session"
        title="Delete this session?"
        description="Its files and its log are deleted too. Its executions and tasks stay in their lists."
        isPending={isPending}
        remove={() => mutate()}
      />
    </div>
  );
}
