import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { firstLine } from '../executions/first-line.ts';
import { useItemKeys } from '../parts/item-keys.ts';
import { Status } from '../parts/status.tsx';
import { clock, count, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import type { SessionExecution } from './session-executions.ts';

const SHOWN = 200;

interface ExecutionsProps {
  readonly executions: readonly SessionExecution[];
  readonly sessionId: string;
  readonly userId: string;
}

/** The executions of a session, newest first. */
export function Executions({ executions, sessionId, userId }: ExecutionsProps): ReactNode {
  const [limit, setLimit] = useState(SHOWN);
  const keys = useItemKeys();
  if (executions.length === 0) return <p className="text-muted">Nothing has run in this session.</p>;
  return (
    <>
      <Link to="/ui/executions" search={{ sessionId, userId }}>
        Filter them in the list of executions
      </Link>
      <ul aria-label="Executions" className="mt-2" {...keys}>
        {executions.slice(0, limit).map((execution) => (
          <Row key={execution.executionId} execution={execution} userId={userId} />
        ))}
      </ul>
      {executions.length > limit && (
        <button type="button" className="button mt-2" onClick={() => setLimit(limit + SHOWN)}>
          {count(executions.length - limit)} more
        </button>
      )}
    </>
  );
}

function Row({ execution, userId }: { readonly execution: SessionExecution; readonly userId: string }): ReactNode {
  const { executionId, status, waitingFor, startMs, ms, code } = execution;
  return (
    <li className="flex flex-wrap items-center gap-x-4 border-b border-line py-1">
      <Status status={status} waitingFor={waitingFor} />
      <Link
        to="/ui/executions/$id"
        params={{ id: executionId }}
        search={{ userId }}
        className="code min-w-0 flex-1 truncate"
      >
        <Text isCut value={firstLine(code) ?? executionId} limit={160} />
      </Link>
      <span className="text-muted">
        {clock(new Date(startMs).toISOString())}
        {ms !== undefined && `, ${duration(ms)}`}
      </span>
    </li>
  );
}
