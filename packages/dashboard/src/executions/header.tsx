import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LoadedExecution } from '../api/executions.ts';
import { useIsOwner } from '../api/session.ts';
import { useNow } from '../app/now.ts';
import { Status } from '../parts/status.tsx';
import { clock, count, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { Actions } from './actions.tsx';
import { firstLine } from './first-line.ts';

interface HeaderProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
}

/** The status of an execution, its facts, and what a person can do with it. */
export function Header({ execution, userId }: HeaderProps): ReactNode {
  const { executionId, status, waitingFor, wakeAt, startedAt, stats, language, sandbox, source } = execution;
  const { forkedFrom, isDryRun } = execution;
  const tokens = stats?.tokens as { readonly code: number; readonly output: number } | undefined;
  const now = useNow(1_000);
  const end = execution.endedAt === undefined ? now : Date.parse(execution.endedAt);
  return (
    <header className="border-b border-line bg-panel px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Status status={status} waitingFor={waitingFor} />
        <h1 className="order-last min-w-0 flex-1 basis-full truncate md:order-none md:basis-0">
          <Text isCut value={firstLine(source) ?? 'Empty program'} limit={120} className="code" />{' '}
          <span className="text-xs font-normal text-muted">{executionId}</span>
        </h1>
        <div className="ml-auto flex flex-wrap gap-2">
          <Actions execution={execution} userId={userId} />
        </div>
      </div>
      <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-muted">
        <Fact name="Started">{clock(startedAt)}</Fact>
        <Fact name="Took">{duration(stats?.totalMs ?? end - Date.parse(startedAt))}</Fact>
        {status === 'suspended' && wakeAt !== undefined && (
          <Fact name={waitingFor?.[0] === 'timer' ? 'Goes on in' : 'Refused in'}>
            {duration(Math.max(0, Date.parse(wakeAt) - now))}
          </Fact>
        )}
        {stats && <Fact name="Calls">{count(stats.toolCalls)}</Fact>}
        {tokens && (
          <Fact name="Tokens">
            {count(tokens.code)} program, {count(tokens.output)} answer
          </Fact>
        )}
        <Fact name="Sandbox">
          {language} in {sandbox}
        </Fact>
        <Fact name="User">
          <Text value={execution.userId ?? userId} limit={60} />
        </Fact>
        <SessionFact execution={execution} userId={userId} />
        {forkedFrom && (
          <Fact name="Fork of">
            <Link to="/ui/executions/$id" params={{ id: forkedFrom.id }} search={{ userId }}>
              {forkedFrom.id.slice(0, 8)}
            </Link>{' '}
            after call {forkedFrom.at}
          </Fact>
        )}
        {isDryRun && <Fact name="Mode">dry run</Fact>}
      </dl>
    </header>
  );
}

/** The session, with a link for its owner: nobody else can read it. */
function SessionFact({ execution: { sessionId }, userId }: HeaderProps): ReactNode {
  const isOwner = useIsOwner(userId);
  if (sessionId === undefined) return null;
  const short = sessionId.slice(0, 13);
  return (
    <Fact name="Session">
      {isOwner ? (
        <Link to="/ui/sessions/$id" params={{ id: sessionId }} search={{ userId }}>
          {short}
        </Link>
      ) : (
        short
      )}
    </Fact>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="flex gap-1">
      <dt>{name}</dt>
      <dd className="text-ink">{children}</dd>
    </div>
  );
}
