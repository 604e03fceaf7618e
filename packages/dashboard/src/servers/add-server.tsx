import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { send } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useNotice } from '../parts/notice.tsx';
import { Failure } from '../parts/states.tsx';

const EXAMPLE = '{\n  "command": "npx",\n  "args": ["-y", "server-package"]\n}';

/** Adds a server by its entry, as in `mcpServers` of the configuration. */
export function AddServer(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [nameId, entryId] = [useId(), useId()];
  const client = useQueryClient();
  const notice = useNotice();
  const add = useMutation({
    mutationFn: (form: FormData) =>
      send('POST', 'admin/servers', {
        name: String(form.get('name')).trim(),
        server: JSON.parse(String(form.get('entry'))),
        persist: form.get('persist') === 'on',
      }),
    onSuccess: () => {
      notice('The server is added. It connects when its first tool is used.');
      setOpen(false);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(new FormData(event.currentTarget));
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Add a server
      </button>
      <Dialog
        title="Add a server"
        description="A local server runs with the rights of Toolwright. Add only servers that you trust."
        isOpen={isOpen}
        setOpen={setOpen}
      >
        <form className="flex flex-col gap-2" onSubmit={submit}>
          <label htmlFor={nameId}>Name</label>
          <input id={nameId} name="name" required maxLength={256} />
          <label htmlFor={entryId}>Entry, as JSON</label>
          <textarea id={entryId} name="entry" required rows={6} className="code" defaultValue={EXAMPLE} />
          <label className="flex items-center gap-2">
            <input type="checkbox" name="persist" className="min-h-0" />
            Write it into the configuration file
          </label>
          {add.error && <Failure error={add.error} />}
          <div className="flex justify-end gap-2">
            <button type="button" className="button" onClick={() => setOpen(false)}>
              Close
            </button>
            <button type="submit" className="button button-main" disabled={add.isPending}>
              Add
            </button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
