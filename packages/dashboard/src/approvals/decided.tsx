import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answer } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { useScope } from '../api/session.ts';
import { useNow } from '../app/now.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { ago } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { pastOf } from './answers/words.ts';
import { decisionsQuery } from './load.ts';

type Decisions = Answer<'/executions/{id}/decisions'>;
type Decision = Decisions['decisions'][number];

const MAX_SHOWN = 20;
const NOT_FOUND = 404;
const OPEN_STATUSES: ReadonlySet<string> = new Set(['running', 'suspended', 'interrupted']);

interface DecidedProps {
  readonly executionId: string;
  /** Number of the call. Default: all calls of the execution. */
  readonly call?: number | undefined;
}

/** Shows who has decided about a question that is open no longer, and how. */
export function Decided({ executionId, call }: DecidedProps): ReactNode {
  const { data, error, refetch } = useQuery(decisionsQuery(executionId, useScope()));
  if (error && Problem.from(error).status === NOT_FOUND) return <Unknown executionId={executionId} />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={1} label="Loading the decision" />;
  const decisions = data.decisions.filter((each) => call === undefined || each.call === call);
  const subject = call === undefined ? 'Its questions' : `Call ${call}`;
  return (
    <div role="status" className="border-b border-line bg-sunken p-3">
      <ul>
        {decisions.slice(-MAX_SHOWN).map((each) => (
          <DecisionLine key={`${each.call}.${each.question ?? 1}`} decision={each} />
        ))}
      </ul>
      {decisions.length === 0 && (
        <p>
          {OPEN_STATUSES.has(data.status)
            ? `${subject}: no decision is needed now.`
            : `${subject}: the execution has ended without a decision. Its status is ${data.status}.`}
        </p>
      )}
      <p>
        <Link
          to="/ui/executions/$id"
          params={{ id: executionId }}
          search={{ userId: data.userId, call: call === undefined ? undefined : String(call) }}
        >
          Execution {executionId.slice(0, 8)}
        </Link>{' '}
        <span className="text-muted">
          of <Text value={data.userId} limit={60} />, {data.status}
        </span>
      </p>
    </div>
  );
}

function DecisionLine({ decision: { call, tool, action, by, note, at } }: { readonly decision: Decision }): ReactNode {
  const now = useNow();
  return (
    <li>
      Call {call} of <Text value={tool} limit={80} className="code font-semibold" /> is already decided:{' '}
      {pastOf(action)}
      {by !== undefined && (
        <>
          {' '}
          by <Text value={by} limit={60} />
        </>
      )}
      {at !== undefined && `, ${ago(at, now)}`}.
      {note !== undefined && (
        <>
          {' '}
          Reason: <Text value={note} limit={400} />
        </>
      )}
    </li>
  );
}

function Unknown({ executionId }: { readonly executionId: string }): ReactNode {
  return (
    <p role="status" className="border-b border-line bg-sunken p-3">
      You have no execution <Text value={executionId} limit={40} className="code" />. It belongs to another user, or its
      data was deleted.
    </p>
  );
}
