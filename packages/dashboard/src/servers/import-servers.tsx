import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../api/client.ts';
import { get, send } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useNotice } from '../parts/notice.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';

type Found = Answer<'/admin/import'>['servers'][number];
interface Imported {
  readonly added: readonly string[];
  readonly failed: readonly { readonly name: string; readonly problem: string }[];
}

/** Imports servers of other clients on the machine of Toolwright. */
export function ImportServers(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Import servers
      </button>
      <Dialog
        title="Import servers"
        description="Servers of Claude, Cursor, VS Code and others on the machine of Toolwright. Their files stay as they are."
        isOpen={isOpen}
        setOpen={setOpen}
      >
        {isOpen && <ImportForm close={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

const keyOf = ({ path, name }: Found) => `${path}\n${name}`;

function ImportForm({ close }: { readonly close: () => void }): ReactNode {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [persist, setPersist] = useState(true);
  const client = useQueryClient();
  const notice = useNotice();
  const { data, error, refetch } = useQuery({
    queryKey: ['import'],
    queryFn: ({ signal }) => get<Answer<'/admin/import'>>('admin/import', signal),
    gcTime: 0,
  });
  const add = useMutation({
    mutationFn: (servers: readonly { readonly path: string; readonly name: string }[]) =>
      send<Imported>('POST', 'admin/import', { servers, persist }),
    onSuccess: ({ added, failed }) => {
      notice(`${added.length} servers are added.`);
      if (failed.length === 0) close();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading label="Looking for servers" />;
  const { servers, left, unreadable } = data;
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  const wanted = servers.filter((server) => chosen.has(keyOf(server))).map(({ name, path }) => ({ name, path }));
  return (
    <div className="flex flex-col gap-2">
      {servers.length === 0 && <p>No other client of this machine has servers.</p>}
      <ul className="max-h-80 overflow-auto">
        {servers.map((server) => (
          <FoundServer
            key={keyOf(server)}
            server={server}
            isChosen={chosen.has(keyOf(server))}
            toggle={() => toggle(keyOf(server))}
          />
        ))}
        {[...left, ...unreadable.map(({ path, problem }) => ({ name: '', path, reason: problem }))].map(
          ({ name, path, reason }) => (
            <li key={`${path}\n${name}`} className="py-1 text-muted">
              <Text value={`${name || path}: ${reason}`} limit={400} />
            </li>
          ),
        )}
      </ul>
      <label className="flex items-center gap-2">
        <input type="checkbox" className="min-h-0" checked={persist} onChange={() => setPersist(!persist)} />
        Write them into the configuration file
      </label>
      {add.error && <Failure error={add.error} />}
      {add.data?.failed.map(({ name, problem }) => (
        <p key={name} className="text-bad">
          <Text value={`${name}: ${problem}`} limit={1_000} />
        </p>
      ))}
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
        <button
          type="button"
          className="button button-main"
          disabled={add.isPending || wanted.length === 0}
          onClick={() => add.mutate(wanted)}
        >
          Import
        </button>
      </div>
    </div>
  );
}

interface FoundServerProps {
  readonly server: Found;
  readonly isChosen: boolean;
  readonly toggle: () => void;
}

function FoundServer({ server, isChosen, toggle }: FoundServerProps): ReactNode {
  const { name, client, path, entry, notes, isKnown } = server;
  return (
    <li className="border-b border-line py-1">
      <label className="flex items-center gap-2">
        <input type="checkbox" className="min-h-0" checked={isChosen} disabled={isKnown} onChange={toggle} />
        <Text value={name} limit={80} className="code font-semibold" />
        <span className="text-muted">{isKnown ? 'exists already' : `from ${client}`}</span>
      </label>
      <p className="break-all text-muted">
        <Text value={path} limit={200} />
      </p>
      <details>
        <summary className="cursor-pointer">Entry</summary>
        <pre className="code overflow-auto whitespace-pre-wrap">
          <Text value={JSON.stringify(entry, null, 2)} limit={4_000} />
        </pre>
      </details>
      {notes.map((note) => (
        <p key={note} className="text-wait">
          <Text value={note} limit={300} />
        </p>
      ))}
    </li>
  );
}
