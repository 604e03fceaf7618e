import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExecutionSummary } from '../api/client.ts';
import { ago, clock, duration } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { Text } from '../text/text.tsx';

const COLUMNS =
  'row-grid px-3 grid-cols-[minmax(0,1fr)_auto] md:grid-cols-[11rem_minmax(0,1fr)_6rem_9rem_6rem_5rem] lg:grid-cols-[11rem_minmax(0,1fr)_7rem_7rem_10rem_6rem_6rem]';

/** The row of headings. */
export const HEADINGS = {
  Row: (): ReactNode => (
    // biome-ignore lint/a11y/useSemanticElements: part of a grid with virtual rows
    // biome-ignore lint/a11y/useFocusableInteractive: the cells of a heading do nothing
    <div role="row" aria-rowindex={1} className={`${COLUMNS} sticky top-0 z-10 hidden h-8 border-b border-line bg-page text-xs text-muted md:grid`}>
      {['Status', 'Execution', 'Language', 'User', 'Session', 'Started', 'Took'].map((name) => (
        // biome-ignore lint/a11y/useSemanticElements: part of a grid with virtual rows
        // biome-ignore lint/a11y/useFocusableInteractive: the cells of a heading do nothing
        <span key={name} role="columnheader" className={name === 'User' ? 'hidden lg:block' : ''}>
          {name}
        </span>
      ))}
    </div>
  ),
};

interface RowProps {
  readonly execution: ExecutionSummary;
  readonly index: number;
  readonly now: number;
  readonly isActive: boolean;
  readonly activate: (index: number) => void;
}

/** One execution of the list. */
export function ExecutionRow({ execution, index, now, isActive, activate }: RowProps): ReactNode {
  const { executionId, status, waitingFor, language, sessionId, startedAt, endedAt, isDryRun, forkedFrom } = execution;
  const { userId } = execution as { readonly userId?: string };
  const took = Date.parse(endedAt ?? '') - Date.parse(startedAt);
  const running = status === 'running' ? duration(now - Date.parse(startedAt)) : '';
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of a grid with virtual rows
    <div role="row" aria-rowindex={index + 2} tabIndex={isActive ? 0 : -1} data-row={index} onFocus={() => activate(index)}
      className={`${COLUMNS} h-10 border-b border-line bg-panel hover:bg-sunken focus:bg-chosen`}>
      <Cell className="order-2 md:order-none">
        <Status status={status} waitingFor={waitingFor} />
      </Cell>
      <Cell className="flex min-w-0 items-baseline gap-2">
        <Link to="/ui/executions/$id" params={{ id: executionId }} tabIndex={-1} className="code truncate">
          {executionId}
        </Link>
        {isDryRun && <span className="text-xs text-muted">dry run</span>}
        {forkedFrom && <span className="text-xs text-muted">fork</span>}
      </Cell>
      <Cell className="hidden text-muted md:block">{language}</Cell>
      <Cell className="hidden truncate text-muted lg:block">{userId !== undefined && <Text value={userId} limit={40} />}</Cell>
      <Cell className="code hidden truncate text-muted md:block">
        {sessionId !== undefined && (
          <Link to="/ui/sessions/$id" params={{ id: sessionId }} tabIndex={-1}>
            {sessionId.slice(0, 13)}
          </Link>
        )}
      </Cell>
      <Cell className="hidden text-muted md:block">
        <time dateTime={startedAt} title={clock(startedAt)}>
          {ago(startedAt, now)}
        </time>
      </Cell>
      <Cell className="hidden md:block">{Number.isNaN(took) ? running : duration(took)}</Cell>
    </div>
  );
}

function Cell({ className, children }: { readonly className: string; readonly children?: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of a grid with virtual rows
    // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus
    <span role="gridcell" className={className}>
      {children}
    </span>
  );
}
