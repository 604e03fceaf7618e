import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queryText, send } from '../api/session.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';

interface RemoveSessionProps {
  readonly sessionId: string;
  readonly userId: string;
}

/** A button that deletes a session after a question. */
export function RemoveSession({ sessionId, userId }: RemoveSessionProps): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await send('DELETE', `sessions/${encodeURIComponent(sessionId)}${queryText({ userId })}`);
    await navigate({ to: '/ui/sessions' });
    await client.invalidateQueries({ queryKey: ['sessions'], exact: true });
  };
  return (
    <div className="ml-auto">
      <ConfirmButton
        label="Delete session"
        title="Delete this session?"
        description="Its files and its log are deleted too. Its executions and tasks stay in their lists."
        change={remove}
      />
    </div>
  );
}
