import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import type { Answer } from '../../api/client.ts';
import { callsQuery } from '../../api/executions.ts';
import { get, queryText, type Scope, send } from '../../api/session.ts';
import type { ListedExecution } from '../../api/types.ts';
import { useFailureNotice, useNotice } from '../../parts/notice.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { clock, count } from '../../text/format.ts';
import { Json } from '../../text/json.tsx';
import { Text } from '../../text/text.tsx';

interface DryRunsProps {
  readonly scope: Scope;
  readonly mayDecide: boolean;
}

/** The dry runs that wait for a person, each with the list of its calls. Nothing without one. */
export function DryRuns({ scope, mayDecide }: DryRunsProps): ReactNode {
  const { data } = useQuery({
    queryKey: ['dry-runs', scope],
    queryFn: ({ signal }) => get<Answer<'/approvals/dry-runs'>>(`approvals/dry-runs${queryText(scope)}`, signal),
  });
  if (!data || data.dryRuns.length === 0) return null;
  return (
    <section aria-label="Dry runs" className="border-b border-line bg-panel p-2">
      <h2>Dry runs</h2>
      <ul className="max-h-[45vh] overflow-auto">
        {data.dryRuns.map((dryRun) => (
          <DryRun key={dryRun.executionId} dryRun={dryRun} mayDecide={mayDecide} />
        ))}
      </ul>
    </section>
  );
}

function DryRun({ dryRun, mayDecide }: { readonly dryRun: ListedExecution; readonly mayDecide: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { executionId, userId, toolCalls, preview, startedAt } = dryRun;
  return (
    <li className="border-t border-line py-1">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer">
          {count(toolCalls)} calls for <Text value={userId} limit={60} />, {clock(startedAt)}{' '}
          <Text isCut value={preview} limit={100} className="code text-muted" />
        </summary>
        {isOpen && <PlannedCalls id={executionId} userId={userId} mayDecide={mayDecide} />}
      </details>
    </li>
  );
}

interface PlannedCallsProps {
  readonly id: string;
  readonly userId: string;
  readonly mayDecide: boolean;
}

function PlannedCalls({ id, userId, mayDecide }: PlannedCallsProps): ReactNode {
  const { data, error, refetch } = useQuery(callsQuery(id, { userId }));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading label="Loading the calls" />;
  return (
    <div className="flex flex-col gap-2 p-2">
      <ol
        className="max-h-[30vh] overflow-auto rounded-md border border-line"
        tabIndex={0}
        aria-label="Calls of the dry run"
      >
        {data.map(({ number, tool, isInvented, arguments: args }) => (
          <li key={number} className="border-b border-line p-2">
            <Text value={tool} limit={80} className="code font-semibold" />{' '}
            <span className="text-muted">{isInvented ? 'will be sent' : 'only reads, was called'}</span>
            <Json value={args} depth={1} />
          </li>
        ))}
      </ol>
      <p>
        <Link to="/ui/executions/$id" params={{ id }} search={{ userId }}>
          Program
        </Link>
      </p>
      {mayDecide && <DecideDryRun id={id} userId={userId} calls={data.length} />}
    </div>
  );
}

function DecideDryRun({
  id,
  userId,
  calls,
}: {
  readonly id: string;
  readonly userId: string;
  readonly calls: number;
}): ReactNode {
  const [note, setNote] = useState('');
  const field = useId();
  const client = useQueryClient();
  const [notice, failed] = [useNotice(), useFailureNotice()];
  const { mutate, isPending } = useMutation({
    mutationFn: (action: 'approve' | 'deny') =>
      send('POST', `executions/${id}/decisions${queryText({ userId })}`, { action, note: note || undefined }),
    onSuccess: (_, action) => notice(`The dry run: ${action}.`),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: ['dry-runs'] }),
  });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label htmlFor={field} className="sr-only">
        Reason for the decision about the dry run
      </label>
      <input
        id={field}
        value={note}
        placeholder="Reason (optional)"
        maxLength={4_000}
        className="min-w-0 flex-1"
        onChange={(event) => setNote(event.target.value)}
      />
      <button type="button" className="button button-main" disabled={isPending} onClick={() => mutate('approve')}>
        Approve the {count(calls)} calls
      </button>
      <button type="button" className="button button-bad" disabled={isPending} onClick={() => mutate('deny')}>
        Deny
      </button>
    </div>
  );
}
