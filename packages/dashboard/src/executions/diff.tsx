import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useId } from 'react';
import type { LoadedExecution } from '../api/executions.ts';
import { get, queryText } from '../api/session.ts';
import { DiffLines } from '../code/diff-lines.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { count } from '../text/format.ts';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';

interface ComparedCall {
  readonly number: number;
  readonly tool: string;
  readonly outcome: string;
  readonly arguments?: unknown;
  readonly result?: unknown;
}
interface Diff {
  readonly status: 'identical' | 'different';
  readonly program?: { readonly diff?: string };
  readonly calls: readonly { readonly change: string; readonly before?: ComparedCall; readonly after?: ComparedCall }[];
  readonly logs: readonly { readonly change: string; readonly level: string; readonly text: string }[];
  readonly outcome?: { readonly before: unknown; readonly after: unknown };
}

const route = getRouteApi('/ui/executions/$id');

/** Compares an execution with another one: a fork with its origin, or any by its id. */
export function DiffPanel({
  execution,
  userId,
}: {
  readonly execution: LoadedExecution;
  readonly userId: string;
}): ReactNode {
  const { executionId, forkedFrom } = execution;
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/ui/executions/$id' });
  const other = search.with ?? forkedFrom?.id;
  const field = useId();
  const compare = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget).get('other') ?? '').trim();
    void navigate({ search: { ...search, ...(id === '' ? {} : { with: id }) }, replace: true });
  };
  return (
    <>
      <form className="mb-3 flex flex-wrap items-center gap-2" onSubmit={compare}>
        <label htmlFor={field}>Compare with</label>
        <input
          id={field}
          name="other"
          defaultValue={other}
          placeholder="Id of an execution"
          className="code min-w-40 flex-1"
        />
        <button type="submit" className="button">
          Compare
        </button>
      </form>
      {other !== undefined && <Differences before={other} after={executionId} userId={userId} />}
    </>
  );
}

function Differences({
  before,
  after,
  userId,
}: {
  readonly before: string;
  readonly after: string;
  readonly userId: string;
}): ReactNode {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['execution', before, 'diff', after, userId],
    queryFn: ({ signal }) => get<Diff>(`executions/${before}/diff${queryText({ userId, with: after })}`, signal),
  });
  if (isPending) return <Loading rows={3} label="Comparing" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-3">
      {data.status === 'identical' ? (
        <p>Both did the same: calls, answers, logs and outcome.</p>
      ) : (
        <p>
          {count(data.calls.length)} calls, {count(data.logs.length)} log lines
          {data.outcome ? ' and the outcome' : ''} differ.
        </p>
      )}
      <Programs diff={data} />
      {data.outcome && <Sides name="Outcome" before={data.outcome.before} after={data.outcome.after} />}
      {data.calls.map(({ change, before, after }) => (
        <Sides
          key={`${before?.number}-${after?.number}`}
          name={`${change}: ${(after ?? before)?.tool}`}
          before={before}
          after={after}
        />
      ))}
      {data.logs.length > 0 && (
        <ol className="code">
          {data.logs.map(({ change, text }, index) => (
            <li key={index} className="whitespace-pre-wrap">
              {change === 'added' ? '+ ' : '− '}
              <Text value={text} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Programs({ diff: { program } }: { readonly diff: Diff }): ReactNode {
  if (!program) return <p className="text-muted">The programs are the same.</p>;
  return (
    <section aria-label="Programs">
      <h3 className="mb-1 font-semibold">Programs</h3>
      {program.diff === undefined ? (
        <p className="text-muted">The programs differ too much to be compared.</p>
      ) : (
        <DiffLines diff={program.diff} />
      )}
    </section>
  );
}

function Sides({
  name,
  before,
  after,
}: {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}): ReactNode {
  return (
    <section className="rounded-md border border-line">
      <h3 className="border-b border-line px-2 py-1 font-semibold">
        <Text value={name} limit={120} />
      </h3>
      <div className="grid gap-2 p-2 sm:grid-cols-2">
        <div aria-label="Before" role="group">
          {before === undefined ? <p className="text-muted">Not in the first one</p> : <Json value={before} />}
        </div>
        <div aria-label="After" role="group">
          {after === undefined ? <p className="text-muted">Not in the second one</p> : <Json value={after} />}
        </div>
      </div>
    </section>
  );
}
