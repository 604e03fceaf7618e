import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { ExecutionCall } from '../api/client.ts';
import { callsQuery, executionQuery, type LoadedExecution, type Values } from '../api/executions.ts';
import { useMayChange, useSession } from '../api/session.ts';
import type { Approval } from '../api/types.ts';
import { useNow } from '../app/now.ts';
import { useTitle } from '../app/title.ts';
import { useDecide } from '../approvals/answers/use-decide.ts';
import { useQuestions } from '../approvals/use-questions.ts';
import { linesOfCalls } from '../code/calling-lines.ts';
import { type LineMark, Program } from '../code/program.tsx';
import { Failure } from '../parts/states.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { duration } from '../text/format.ts';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';
import { Calls } from './calls/calls.tsx';
import { Header } from './header.tsx';
import { Panels } from './panels.tsx';

const route = getRouteApi('/ui/executions/$id');
/** A running program shows its new log lines after this time. */
const LIVE_MS = 1_000;

/** One execution: its program, its calls on a time axis, and the details of the chosen call. */
export function ExecutionDetail(): ReactNode {
  const { id } = route.useParams();
  const { userId } = route.useSearch();
  const { user } = useSession();
  useTitle(`Execution ${id.slice(0, 8)}`);
  const [isReal, setReal] = useState(false);
  const scope = { userId: userId ?? user };
  const shown = isReal ? ('real' as const) : ('redacted' as const);
  const record = useQuery({
    ...executionQuery(id, scope, shown),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LIVE_MS : false),
  });
  const calls = useQuery(callsQuery(id, scope, shown));
  if (!record.data)
    return (
      <Unloaded
        title={`Execution ${id.slice(0, 8)}`}
        label="Loading the execution"
        rows={14}
        error={record.error}
        retry={() => void record.refetch()}
      />
    );
  return (
    <div className="flex h-full min-h-0 flex-col overflow-auto lg:overflow-hidden">
      <Header execution={record.data} userId={scope.userId} />
      <label className="flex items-center gap-1.5 border-b border-line bg-panel px-3 py-1">
        <input type="checkbox" className="min-h-0" checked={isReal} onChange={() => setReal(!isReal)} />
        Show personal data (logged)
      </label>
      {calls.error && <Failure error={calls.error} retry={() => void calls.refetch()} />}
      <Body execution={record.data} calls={calls.data ?? []} userId={scope.userId} values={shown} />
    </div>
  );
}

interface BodyProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
  readonly calls: readonly ExecutionCall[];
  readonly values: Values;
}

function Body({ execution, calls, userId, values }: BodyProps): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/ui/executions/$id' });
  const chosen = search.call ? Number(search.call) : undefined;
  const go = (part: { readonly call?: string; readonly tab?: string }) =>
    void navigate({ search: { ...search, ...part }, replace: true });
  const { source, language, startedAt, endedAt } = execution;
  const linesOf = useMemo(() => linesOfCalls(source, calls), [source, calls]);
  const marks = useMemo(() => marksOf(calls, linesOf), [calls, linesOf]);
  const now = useNow(2_000);
  const end = endedAt === undefined ? now : Date.parse(endedAt);
  const whole = useMemo(() => ({ start: Date.parse(startedAt), end }), [startedAt, end]);
  const call = calls.find(({ number }) => number === chosen);
  const chooseLine = (line: number) => {
    const ofLine = calls.filter((each) => linesOf(each).includes(line));
    const next = ofLine[(ofLine.findIndex(({ number }) => number === chosen) + 1) % ofLine.length];
    if (next) go({ call: String(next.number), tab: 'call' });
  };
  return (
    <div className="grid min-h-0 flex-1 gap-2 p-2 lg:grid-cols-2 lg:grid-rows-[minmax(0,1fr)_minmax(0,1fr)] 2xl:grid-cols-3 2xl:grid-rows-1">
      <section
        aria-label="Program"
        className="panel max-h-[60vh] min-h-40 min-w-0 overflow-hidden lg:row-span-2 lg:max-h-none 2xl:row-span-1"
      >
        <Program
          source={source}
          language={language}
          marks={marks}
          choose={chooseLine}
          chosen={call ? linesOf(call) : []}
          failedLine={(execution.error?.line as number | undefined) ?? execution.line}
        />
      </section>
      <section
        aria-label="Calls"
        className="panel flex max-h-[60vh] min-h-32 min-w-0 flex-col overflow-hidden lg:max-h-none"
      >
        {execution.status === 'suspended' && <Pending id={execution.executionId} userId={userId} values={values} />}
        {calls.length === 0 ? (
          execution.status !== 'suspended' && <p className="p-3 text-muted">No tool calls.</p>
        ) : (
          <Calls
            calls={calls}
            whole={whole}
            chosen={chosen}
            open={() => go({ tab: 'call' })}
            choose={(number) => go(number === undefined ? { call: '' } : { call: String(number), tab: 'call' })}
          />
        )}
      </section>
      <section aria-label="Details" className="panel min-h-60 min-w-0 overflow-hidden">
        <Panels
          execution={execution}
          userId={userId}
          values={values}
          call={call}
          choose={(number) => go({ call: number === undefined ? '' : String(number), tab: 'journal' })}
          tab={search.tab}
          setTab={(tab) => go({ tab })}
        />
      </section>
    </div>
  );
}

function marksOf(
  calls: readonly ExecutionCall[],
  linesOf: (call: ExecutionCall) => readonly number[],
): Map<number, LineMark> {
  const marks = new Map<number, LineMark>();
  for (const call of calls) {
    const { outcome } = call;
    for (const line of linesOf(call)) {
      const before = marks.get(line);
      marks.set(line, {
        calls: (before?.calls ?? 0) + 1,
        isFailed: outcome === 'failed' || before?.isFailed === true,
        isWaiting: outcome === 'pending' || outcome === 'unknown' || before?.isWaiting === true,
      });
    }
  }
  return marks;
}

/** The calls of a suspended execution that wait for a person, with their rules, arguments and buttons. */
function Pending({
  id,
  userId,
  values,
}: {
  readonly id: string;
  readonly userId: string;
  readonly values: Values;
}): ReactNode {
  const { data } = useQuestions({ userId }, { executionId: id, values });
  const mayDecide = useMayChange();
  const questions = data?.approvals ?? [];
  if (questions.length === 0) return null;
  return (
    <ul aria-label="Waiting calls" className="max-h-[50%] shrink-0 overflow-auto border-b border-line only:max-h-full">
      {questions.map((question) => (
        <PendingCall key={question.call} question={question} mayDecide={mayDecide} />
      ))}
    </ul>
  );
}

function PendingCall({ question, mayDecide }: { readonly question: Approval; readonly mayDecide: boolean }): ReactNode {
  const { executionId, call, tool, rule, kind, arguments: given, expiresAt } = question;
  const left = duration(Math.max(0, Date.parse(expiresAt) - useNow()));
  const decide = useDecide();
  return (
    <li className="border-l-4 border-wait bg-wait-back p-2">
      <p>
        <span aria-hidden="true">! </span>
        {call} <Text value={tool} limit={80} className="code font-semibold" /> waits
        {rule !== undefined && (
          <>
            , asked by <Text value={rule} className="code" />
          </>
        )}
        . Without a decision, it is refused in {left}.
      </p>
      <Json value={given} />
      {mayDecide && kind === 'approval' ? (
        <p className="sticky bottom-0 flex gap-2 bg-wait-back py-1">
          <button
            type="button"
            className="button button-main"
            onClick={() => decide({ action: 'approve', items: [question] })}
          >
            Approve
          </button>
          <button
            type="button"
            className="button button-bad"
            onClick={() => decide({ action: 'deny', items: [question] })}
          >
            Deny
          </button>
        </p>
      ) : (
        <Link to="/ui/approvals" search={{ executionId }}>
          Open the question
        </Link>
      )}
    </li>
  );
}
