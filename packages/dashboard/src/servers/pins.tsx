import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answer } from '../api/client.ts';
import { get, send, useSession } from '../api/session.ts';
import { REFRESH_MS } from '../app/refresh.ts';
import { useFailureNotice, useNotice } from '../parts/notice.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { count } from '../text/format.ts';
import { Text } from '../text/text.tsx';

type Pin = Answer<'/pins'>['pins'][number];

/** The accepted definitions of tools, and those that wait for a person because they changed or look suspicious. */
export function Pins(): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['pins'],
    queryFn: ({ signal }) => get<Answer<'/pins'>>('pins', signal),
    refetchInterval: REFRESH_MS,
  });
  if (isPending) return <Loading label="Loading pins" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const waiting = data.pins.filter(({ state }) => state === 'quarantined');
  if (data.mode === 'off') return <Empty title="Pins are off">Set "pin" in the configuration to warn or block.</Empty>;
  return (
    <>
      <p className="text-muted">
        {count(data.pins.length - waiting.length)} accepted, {count(waiting.length)} in quarantine. Mode: {data.mode}.
      </p>
      {waiting.length === 0 && <Empty title="No tool waits for you" />}
      <ul>
        {waiting.map((pin) => (
          <li key={pin.id} className="border-b border-line py-3">
            <PinView pin={pin} />
          </li>
        ))}
      </ul>
    </>
  );
}

function PinView({ pin: { id, reasons, fingerprint, diff } }: { readonly pin: Pin }): ReactNode {
  const { roles } = useSession();
  const client = useQueryClient();
  const [notice, failed] = [useNotice(), useFailureNotice()];
  const { mutate, isPending } = useMutation({
    mutationFn: () => send('POST', 'pins/approvals', { tools: [{ id, fingerprint }] }),
    onSuccess: () => notice('The definition is accepted.'),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: ['pins'] }),
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="code">
          <Text value={id} limit={120} />
        </h2>
        {roles.includes('admin') && (
          <button type="button" className="button ml-auto" disabled={isPending} onClick={() => mutate()}>
            Accept this definition
          </button>
        )}
      </div>
      {reasons.map(({ code, text }) => (
        <p key={code + text} className="text-wait">
          <Text value={`${code}: ${text}`} limit={500} />
        </p>
      ))}
      {diff !== undefined && (
        <pre className="code mt-2 overflow-x-auto rounded-md border border-line p-2" tabIndex={0}>
          <Text value={diff} limit={8_000} />
        </pre>
      )}
    </>
  );
}
