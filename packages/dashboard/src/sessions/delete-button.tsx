import { type ReactNode, useState } from 'react';
import { useMayChange } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';

interface DeleteButtonProps {
  readonly label: string;
  readonly title: string;
  readonly description: string;
  readonly isPending?: boolean;
  readonly remove: () => void;
}

/** A button that asks before it deletes something. Viewers have none. */
export function DeleteButton({ label, title, description, isPending = false, remove }: DeleteButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const mayChange = useMayChange();
  if (!mayChange) return null;
  return (
    <>
      <button type="button" className="button" disabled={isPending} onClick={() => setAsking(true)}>
        {label}
      </button>
      <Dialog title={title} description={description} isOpen={isAsking} setOpen={setAsking}>
        <div className="flex justify-end gap-2">
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
          <button
            type="button"
            className="button button-bad"
            onClick={() => {
              setAsking(false);
              remove();
            }}
          >
            Delete
          </button>
        </div>
      </Dialog>
    </>
  );
}
