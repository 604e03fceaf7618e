import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queryText, send } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useNotice } from '../parts/notice.tsx';
import { Failure } from '../parts/states.tsx';
import { visibleText } from '../text/visible.ts';
import type { ServerPlace } from './edit-server.tsx';

/** Removes a server after a question. */
export function RemoveServer({ name, slug }: ServerPlace): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const [isKept, setKept] = useState(false);
  const client = useQueryClient();
  const notice = useNotice();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => send('DELETE', `admin/servers/${slug}${queryText({ persist: isKept ? 'true' : undefined })}`),
    onSuccess: () => {
      notice('The server is removed.');
      setAsking(false);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Remove
      </button>
      <Dialog
        title={`Remove the server "${visibleText(name, 80)}"?`}
        description="Its running calls have 10 seconds to end. Programs can no longer use its tools."
        isOpen={isAsking}
        setOpen={setAsking}
      >
        <label className="flex items-center gap-2">
          <input type="checkbox" className="min-h-0" checked={isKept} onChange={() => setKept(!isKept)} />
          Remove it from the configuration file too
        </label>
        {error && <Failure error={error} />}
        <div className="flex justify-end gap-2">
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
          <button type="button" className="button button-bad" disabled={isPending} onClick={() => mutate()}>
            Remove
          </button>
        </div>
      </Dialog>
    </>
  );
}
