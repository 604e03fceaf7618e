import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useScope, useSession } from '../api/session.ts';
import type { Approval, Decided } from '../api/types.ts';
import { useKeys } from '../app/keys.ts';
import { useTitle } from '../app/title.ts';
import { count } from '../parts/format.ts';
import { useFailureNotice, useNotice } from '../parts/notice.tsx';
import { Empty } from '../parts/states.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { hasWords } from '../text/words.ts';
import { BatchDialog } from './batch.tsx';
import type { Choice } from './choice.ts';
import { DryRuns } from './dry-runs.tsx';
import { approvalsQuery, approveNext, decide, keyOf, type OpenQuestions } from './load.ts';
import { NotificationSwitch } from './notifications.tsx';
import { Question } from './question.tsx';
import { QuestionRow } from './row.tsx';

const route = getRouteApi('/ui/approvals');

/** The queue of open questions: the list, and the chosen one with its exact arguments. */
export function ApprovalQueue(): ReactNode {
  useTitle('Approvals');
  const { executionId, call, tool } = route.useSearch();
  const [isReal, setReal] = useState(false);
  const scope = useScope();
  const { roles } = useSession();
  const query = useQuery(approvalsQuery(scope, isReal ? 'real' : 'redacted'));
  const [words, setWords] = useState('');
  const open = (query.data?.approvals ?? []).filter(
    (each) =>
      (executionId === undefined || each.executionId === executionId) &&
      (tool === undefined || each.tool === tool) &&
      hasWords(`${each.tool} ${each.userId} ${JSON.stringify(each.arguments) ?? ''}`, words),
  );
  if (!query.data)
    return (
      <Unloaded
        title="Approvals"
        label="Loading approvals"
        rows={8}
        error={query.error}
        retry={() => void query.refetch()}
      />
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
        <h1>Approvals</h1>
        <span className="text-muted" aria-live="polite">
          {count(query.data.total)} open
        </span>
        {executionId !== undefined && (
          <Link to="/ui/approvals" search={{}} className="button">
            Show all
          </Link>
        )}
        <input
          type="search"
          className="w-60"
          aria-label="Show calls with"
          placeholder="Tool, user or arguments"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <div className="ml-auto flex flex-wrap items-center gap-2">
          <label className="flex items-center gap-1.5">
            <input
              type="checkbox"
              className="min-h-0"
              checked={isReal}
              onChange={(event) => setReal(event.target.checked)}
            />
            Show personal data (logged)
          </label>
          <NotificationSwitch />
        </div>
      </div>
      <DryRuns scope={scope} mayDecide={roles.includes('approver')} />
      {open.length === 0 ? (
        <Empty title={words === '' ? 'Nothing waits for you' : 'No open call has these words'}>
          Calls that the policy asks about appear here. <Link to="/ui/executions">Executions</Link>
        </Empty>
      ) : (
        <Queue open={open} isPart={words !== ''} first={call === undefined ? undefined : Number(call)} />
      )}
    </div>
  );
}

/** Returns a function that decides. The questions leave the list at once, so that the next one can be decided. */
function useDecide(): (choice: Choice) => void {
  const client = useQueryClient();
  const [notice, failed] = [useNotice(), useFailureNotice()];
  const { mutate } = useMutation({
    onMutate({ items }) {
      const keys = new Set(items.map(keyOf));
      client.setQueriesData<OpenQuestions>({ queryKey: ['approvals'] }, (before) => before && without(before, keys));
    },
    mutationFn: ({ action, items, next, same = [], note, value }: Choice): Promise<Decided> => {
      const [only] = items;
      if (next !== undefined && only) return approveNext(only, next, same);
      return decide(action, items, { ...(note ? { note } : {}), ...(value === undefined ? {} : { value }) });
    },
    onSuccess: ({ decided, refused }, { action }) => {
      const [first] = refused;
      if (first) notice(`${count(refused.length)} not decided. ${first.code}: ${first.detail}`, true);
      if (decided.length > 0)
        notice(`${count(decided.length)} ${decided.length === 1 ? 'question' : 'questions'}: ${action}.`);
    },
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals'] }),
  });
  return mutate;
}

function without({ approvals, total }: OpenQuestions, keys: ReadonlySet<string>): OpenQuestions {
  const rest = approvals.filter((each) => !keys.has(keyOf(each)));
  return { approvals: rest, total: total - (approvals.length - rest.length) };
}

interface QueueProps {
  readonly open: readonly Approval[];
  /** Whether other questions are hidden. */
  readonly isPart: boolean;
  /** The call that is chosen first. */
  readonly first: number | undefined;
}

function Queue({ open, isPart, first }: QueueProps): ReactNode {
  const { roles } = useSession();
  const [chosen, setChosen] = useState<string>();
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [batch, setBatch] = useState<Choice>();
  const run = useDecide();
  const start = open.findIndex((each) => each.call === first);
  const found = open.findIndex((each) => keyOf(each) === chosen);
  const index = found >= 0 ? found : Math.max(0, start);
  const current = open[index];
  const marks = open.filter((each) => marked.has(keyOf(each)));
  const mayDecide = roles.includes('approver');
  const move = (step: number) => {
    const next = open[Math.max(0, Math.min(open.length - 1, index + step))];
    if (!next) return;
    setChosen(keyOf(next));
    document.querySelector(`[data-question="${keyOf(next)}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const act = (choice: Choice) => {
    // The next question takes the place of a decided one.
    const next = open[index + 1] ?? open[index - 1];
    if (choice.items.length === 1) setChosen(next && keyOf(next));
    setMarked(new Set());
    run(choice);
  };
  const toggle = (question: Approval) => {
    const next = new Set(marked);
    if (!next.delete(keyOf(question))) next.add(keyOf(question));
    setMarked(next);
  };
  const byKey = (action: 'approve' | 'deny') => {
    if (!mayDecide || !current) return;
    if (marks.length > 1) setBatch({ action, items: marks });
    else if (current.kind === 'approval') act({ action, items: [current] });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    a: () => byKey('approve'),
    d: () => byKey('deny'),
    x: () => current && toggle(current),
  });
  return (
    <div className="grid min-h-0 flex-1 gap-2 overflow-auto p-2 lg:grid-cols-[minmax(18rem,2fr)_3fr] lg:overflow-hidden">
      <section
        aria-label="Open questions"
        className="panel flex max-h-[45vh] min-h-24 flex-col overflow-hidden lg:max-h-none"
      >
        <ul className="min-h-0 flex-1 overflow-auto">
          {open.map((each, position) => (
            <QuestionRow
              key={keyOf(each)}
              question={each}
              isChosen={position === index}
              isMarked={marked.has(keyOf(each))}
              choose={() => setChosen(keyOf(each))}
              toggle={() => toggle(each)}
            />
          ))}
        </ul>
        {mayDecide && <Batches isPart={isPart} open={open} current={current} marks={marks} start={setBatch} />}
      </section>
      {current && <Question key={keyOf(current)} question={current} act={act} mayDecide={mayDecide} />}
      <BatchDialog choice={batch} close={() => setBatch(undefined)} act={act} />
    </div>
  );
}

interface BatchesProps {
  readonly isPart: boolean;
  readonly open: readonly Approval[];
  readonly current: Approval | undefined;
  readonly marks: readonly Approval[];
  readonly start: (choice: Choice) => void;
}

/** Decisions about several questions. Each one is confirmed. */
function Batches({ isPart, open, current, marks, start }: BatchesProps): ReactNode {
  const approvals = open.filter(({ kind }) => kind === 'approval');
  const same = approvals.filter(({ tool }) => tool === current?.tool);
  const [items, name] =
    marks.length > 0
      ? [marks, `${marks.length} marked`]
      : same.length < approvals.length && same.length > 1
        ? [same, `${same.length} of this tool`]
        : [approvals, isPart ? `the ${approvals.length} shown` : `all ${approvals.length}`];
  if (items.length < 2) return null;
  return (
    <div className="flex flex-wrap gap-2 border-t border-line p-2">
      <button type="button" className="button" onClick={() => start({ action: 'approve', items })}>
        Approve {name}
      </button>
      <button type="button" className="button" onClick={() => start({ action: 'deny', items })}>
        Deny {name}
      </button>
      {items === same && (
        <button type="button" className="button quiet" onClick={() => start({ action: 'approve', items: approvals })}>
          All {approvals.length}
        </button>
      )}
    </div>
  );
}
