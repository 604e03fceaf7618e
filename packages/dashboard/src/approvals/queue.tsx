import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMayChange, useScope } from '../api/session.ts';
import { useTitle } from '../app/title.ts';
import { Empty } from '../parts/states.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { hasWords } from '../text/words.ts';
import { DryRuns } from './batches/dry-runs.tsx';
import { More } from './batches/more.tsx';
import { Decided } from './decided.tsx';
import { LastingDecisions } from './lasting/lasting-decisions.tsx';
import { FIRST_PAGE } from './load.ts';
import { searchedText } from './open-questions.ts';
import { Questions } from './questions.tsx';
import { Toolbar } from './toolbar.tsx';
import { useQuestions } from './use-questions.ts';

const route = getRouteApi('/ui/approvals');

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
