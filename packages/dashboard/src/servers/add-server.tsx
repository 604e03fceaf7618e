import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { send } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useNotice } from '../parts/notice.tsx';
import { ServerForm, type ServerFormValues } from './server-form.tsx';

const EXAMPLE = {
  name: '',
  entry: '{\n  "command": "npx",\n  "args": ["-y", "server-package"]\n}',
  persist: false,
};

/** Adds a server by its entry. */
export function AddServer(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const notice = useNotice();
  const add = useMutation({
    mutationFn: async ({ name, entry, persist }: ServerFormValues) =>
      send('POST', 'admin/servers', { name, server: JSON.parse(entry), persist }),
    onSuccess: () => {
      notice('The server is added.');
      setOpen(false);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
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
        <ServerForm
          isNew
          initial={EXAMPLE}
          label="Add"
          isPending={add.isPending}
          error={add.error}
          submit={add.mutate}
          close={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}
