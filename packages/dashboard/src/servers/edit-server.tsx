import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../api/client.ts';
import { get, send } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useNotice } from '../parts/notice.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { visibleText } from '../text/visible.ts';
import { ServerForm, type ServerFormValues } from './server-form.tsx';

/** A server, and its name in paths. */
export interface ServerPlace {
  readonly name: string;
  readonly slug: string;
}

/** Changes the entry of a server. */
export function EditServer({ name, slug }: ServerPlace): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Edit
      </button>
      <Dialog
        title={`Edit the server "${visibleText(name, 80)}"`}
        description="The server is exchanged when the new entry lists its tools. Running calls have 10 seconds to end. A hidden value ••• stays as it is."
        isOpen={isOpen}
        setOpen={setOpen}
      >
        {isOpen && <EditForm name={name} slug={slug} close={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function EditForm({ name, slug, close }: ServerPlace & { readonly close: () => void }): ReactNode {
  const path = `admin/servers/${slug}`;
  const client = useQueryClient();
  const notice = useNotice();
  const { data, error, refetch } = useQuery({
    queryKey: ['entry', name],
    queryFn: ({ signal }) => get<Answer<'/admin/servers/{name}'>>(path, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const change = useMutation({
    mutationFn: async ({ entry, persist }: ServerFormValues) =>
      send('PUT', path, { server: JSON.parse(entry), persist }),
    onSuccess: () => {
      notice('The server is changed.');
      close();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading label="Loading the entry" />;
  const isInFile = data.entry !== undefined;
  return (
    <>
      {!isInFile && (
        <p className="text-muted">The configuration file does not have this server. Enter the whole entry.</p>
      )}
      <ServerForm
        isNew={false}
        initial={{ name, entry: JSON.stringify(data.entry ?? {}, null, 2), persist: isInFile }}
        label="Save"
        isPending={change.isPending}
        error={change.error}
        submit={change.mutate}
        close={close}
      />
    </>
  );
}
