import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMayChange } from '../api/session.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

interface ConfirmButtonProps {
  readonly label: string;
  readonly title: string;
  readonly description: string;
  /** The text of the button that confirms. Default: Delete. */
  readonly action?: string;
  /** Fields of the question. */
  readonly children?: ReactNode;
  readonly change: () => Promise<unknown>;
}

/** A button that asks before it deletes something. The question stays open until the change is done, and has its error. Viewers have none. */
export function ConfirmButton({
  label,
  title,
  description,
  action = 'Delete',
  children,
  change,
}: ConfirmButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: change, onSuccess: () => setAsking(false) });
  const mayChange = useMayChange();
  if (!mayChange) return null;
  const ask = () => {
    reset();
    setAsking(true);
  };
  return (
    <>
      <button type="button" className="button" onClick={ask}>
        {label}
      </button>
      <Dialog title={title} description={description} isOpen={isAsking} setOpen={setAsking}>
        {children}
        {error && <Failure error={error} />}
        <div className="flex justify-end gap-2">
          <button type="button" className="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
          <button type="button" className="button button-bad" disabled={isPending} onClick={() => mutate()}>
            {action}
          </button>
        </div>
      </Dialog>
    </>
  );
}
