import { type FormEvent, type ReactNode, useId } from 'react';
import { Failure } from '../parts/states.tsx';

/** The texts of the form. */
export interface ServerFormValues {
  readonly name: string;
  /** JSON, as in `mcpServers` of the configuration. */
  readonly entry: string;
  readonly persist: boolean;
}

interface ServerFormProps {
  readonly initial: ServerFormValues;
  /** Of the main button. */
  readonly label: string;
  /** Whether the name can be chosen. */
  readonly isNew: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly submit: (values: ServerFormValues) => void;
  readonly close: () => void;
}

/** Asks for the entry of a server. */
export function ServerForm({ initial, label, isNew, isPending, error, submit, close }: ServerFormProps): ReactNode {
  const [nameId, entryId] = [useId(), useId()];
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    submit({
      name: isNew ? String(form.get('name')).trim() : initial.name,
      entry: String(form.get('entry')),
      persist: form.get('persist') === 'on',
    });
  };
  return (
    <form className="flex flex-col gap-2" onSubmit={send}>
      {isNew && (
        <>
          <label htmlFor={nameId}>Name</label>
          <input id={nameId} name="name" required maxLength={256} defaultValue={initial.name} />
        </>
      )}
      <label htmlFor={entryId}>Entry, as JSON</label>
      <textarea id={entryId} name="entry" required rows={8} className="code" defaultValue={initial.entry} />
      <label className="flex items-center gap-2">
        <input type="checkbox" name="persist" className="min-h-0" defaultChecked={initial.persist} />
        Write it into the configuration file
      </label>
      {error && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
        <button type="submit" className="button button-main" disabled={isPending}>
          {label}
        </button>
      </div>
    </form>
  );
}
