import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMayChange, useScope } from '../api/session.ts';
import { useTitle } from '../app/title.ts';
import { leaveOnEscape } from '../parts/keys.ts';
import { Empty } from '../parts/states.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { count } from '../text/format.ts';
import { hasWords } from '../text/words.ts';
import { DryRuns } from './batches/dry-runs.tsx';
import { More } from './batches/more.tsx';
import { Decided } from './decided.tsx';
import { LastingDecisions } from './lasting/lasting-decisions.tsx';
import { FIRST_PAGE } from './load.ts';
import { NotificationSwitch } from './notifications.tsx';
import { searchedText } from './open-questions.ts';
import { Questions } from './questions.tsx';
import { useQuestions } from './use-questions.ts';

const route = getRouteApi('/ui/approvals');

interface ToolbarProps {
  readonly total: number;
  /** Whether the address selects an execution or a tool. */
  readonly isSelection: boolean;
  readonly words: string;
  readonly setWords: (words: string) => void;
  readonly isReal: boolean;
  readonly setReal: (isReal: boolean) => void;
}

/** The queue of open questions: the list, and the chosen one with its exact arguments. */
export function ApprovalQueue(): ReactNode {
  useTitle('Approvals');
  const { executionId, call, tool } = route.useSearch();
  const [isReal, setReal] = useState(false);
  const [size, setSize] = useState(FIRST_PAGE);
  const [words, setWords] = useState('');
  const scope = useScope();
  const mayDecide = useMayChange();
  const query = useQuestions(scope, { executionId, tool, size, values: isReal ? 'real' : 'redacted' });
  const { data } = query;
  if (!data)
    return (
      <Unloaded
        title="Approvals"
        label="Loading approvals"
        rows={8}
        error={query.error}
        retry={() => void query.refetch()}
      />
    );
  const open = data.approvals.filter((each) => hasWords(searchedText(each), words));
  const number = call === undefined ? undefined : Number(call);
  const isLinkOpen = data.approvals.some((each) => number === undefined || each.call === number);
  const isDecided = executionId !== undefined && !isLinkOpen;
  const more = <More questions={data} isLoading={query.isPlaceholderData} load={setSize} />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Toolbar
        {...{ total: data.total, isSelection: executionId !== undefined || tool !== undefined }}
        {...{ words, setWords, isReal, setReal }}
      />
      <DryRuns scope={scope} mayDecide={mayDecide} />
      <LastingDecisions />
      {isDecided && <Decided executionId={executionId} call={number} />}
      {open.length > 0 ? (
        <Questions
          key={`${executionId} ${call} ${tool}`}
          open={open}
          loaded={data.approvals}
          isPart={open.length < data.total || data.isPart === true}
          first={number}
          mayDecide={mayDecide}
          more={more}
        />
      ) : (
        <>
          {!isDecided && (
            <Empty title={words === '' ? 'Nothing waits for you' : 'No open call has these words'}>
              <p>
                Calls that the policy asks about appear here. To be asked before tools that write, put this into
                toolwright.json and start the server again:
              </p>
              <pre className="code panel mt-3 overflow-x-auto p-3 text-left">{'"policy": { "preset": "careful" }'}</pre>
              <Link to="/ui/executions">Executions</Link>
            </Empty>
          )}
          {more}
        </>
      )}
    </div>
  );
}

/** The number of open questions, and the settings of the queue. */
function Toolbar({ total, isSelection, words, setWords, isReal, setReal }: ToolbarProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
      <h1>Approvals</h1>
      <span className="text-muted" aria-live="polite">
        {count(total)} open
      </span>
      {isSelection && (
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
        onKeyDown={leaveOnEscape}
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
  );
}
