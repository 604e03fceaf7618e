import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { ListedExecution } from '../api/types.ts';
import { Status } from '../parts/status.tsx';
import { ago, clock, count, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { firstLine } from './first-line.ts';

const COLUMNS =
  'row-grid px-3 grid-cols-[minmax(0,1fr)_auto_auto] md:grid-cols-[10.5rem_minmax(0,1fr)_6rem_5rem_5rem] lg:grid-cols-[10.5rem_minmax(0,1fr)_minmax(0,12rem)_7rem_5rem_6rem_5rem]';
const HEADINGS = [
  ['Status', ''],
  ['Program', ''],
  ['Tools', 'hidden lg:block'],
  ['User', 'hidden lg:block'],
  ['Saved', 'hidden md:block'],
  ['Started', ''],
  ['Took', 'hidden md:block'],
] as const;

/** The row of headings. */
export function HeadingRow(): ReactNode {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={`${COLUMNS} sticky top-0 z-10 h-8 border-b border-line bg-page text-xs text-muted max-md:sr-only`}
    >
      {HEADINGS.map(([name, className]) => (
        <span key={name} role="columnheader" className={className}>
          {name}
        </span>
      ))}
    </div>
  );
}

/** Returns the link to an execution. It names the user, because the list may have those of others. */
export function linkTo({
  executionId,
  userId,
}: {
  readonly executionId: string;
  readonly userId?: string | undefined;
}) {
  return {
    to: '/ui/executions/$id',
    params: { id: executionId },
    search: userId === undefined ? {} : { userId },
  } as const;
}

interface RowProps {
  readonly execution: ListedExecution;
  readonly index: number;
  readonly now: number;
  readonly isActive: boolean;
  readonly activate: (index: number) => void;
}

/** One execution of the list. */
export const ExecutionRow = memo(function ExecutionRow({
  execution,
  index,
  now,
  isActive,
  activate,
}: RowProps): ReactNode {
  const { status, waitingFor, startedAt, endedAt, isDryRun, forkedFrom, error, limit } = execution;
  const end = endedAt === undefined ? now : Date.parse(endedAt);
  const took = execution.totalMs ?? end - Date.parse(startedAt);
  const reason = error?.code ?? limit;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      tabIndex={isActive ? 0 : -1}
      data-row={index}
      onFocus={() => activate(index)}
      className={`${COLUMNS} h-10 border-b border-line bg-panel hover:bg-sunken focus:bg-chosen`}
    >
      <span role="gridcell" className="order-2 min-w-0 truncate md:order-none">
        <Status status={status} waitingFor={waitingFor} />
      </span>
      <span role="gridcell" className="flex min-w-0 items-baseline gap-2">
        <Link {...linkTo(execution)} tabIndex={-1} className="code min-w-0 truncate text-ink">
          <Text isCut value={firstLine(execution.preview) ?? execution.executionId} limit={160} />
        </Link>
        {reason !== undefined && (
          <span className="shrink-0 text-xs whitespace-nowrap text-bad">
            <Text isCut value={reason} limit={60} />
          </span>
        )}
        {isDryRun && <span className="shrink-0 text-xs text-muted">dry run</span>}
        {forkedFrom && <span className="shrink-0 text-xs text-muted">fork</span>}
      </span>
      <span role="gridcell" className="hidden truncate text-muted lg:block">
        <Tools execution={execution} />
      </span>
      <span role="gridcell" className="hidden truncate text-muted lg:block">
        <Text isCut value={execution.userId ?? ''} limit={40} />
      </span>
      <span role="gridcell" className="hidden text-muted md:block">
        {savedText(execution)}
      </span>
      <span role="gridcell" className="order-1 whitespace-nowrap text-muted max-md:text-xs md:order-none">
        <time dateTime={startedAt} title={clock(startedAt)}>
          {ago(startedAt, now)}
        </time>
      </span>
      <span role="gridcell" className="hidden text-muted md:block">
        {duration(took)}
      </span>
    </div>
  );
});

function Tools({ execution: { tools = [], toolCalls = 0 } }: { readonly execution: ListedExecution }): ReactNode {
  const [first] = tools;
  if (!first) return null;
  const others = tools.length - 1;
  return (
    <>
      <Text isCut value={first.tool} limit={60} />
      {others > 0 && ` +${others}`}
      {toolCalls > 1 && ` · ${count(toolCalls)} calls`}
    </>
  );
}

function savedText({ directTokens, tokens }: ListedExecution): string {
  if (directTokens === undefined || tokens === undefined) return '';
  const saved = directTokens - tokens.code - tokens.output;
  return saved > 0 ? `${count(saved)} tok` : '';
}
