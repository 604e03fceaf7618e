import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { get, queryText, useScope } from '../api/session.ts';
import type { ListedExecution } from '../api/types.ts';
import { useNow } from '../app/now.ts';
import { useTitle } from '../app/title.ts';
import type { ExecutionPage } from '../events/apply.ts';
import { type ExecutionSearch, queryOf } from '../events/filter.ts';
import { MAX_UNKNOWN, useLive } from '../events/live.tsx';
import { focusItem } from '../parts/focus-item.ts';
import { useKeys } from '../parts/keys.ts';
import { ROW_STEPS } from '../parts/row-steps.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { count } from '../text/format.ts';
import { Filters } from './filters.tsx';
import { ExecutionRow, HeadingRow, linkTo } from './row.tsx';

const PAGE = 100;
const ROW_HEIGHT = 40;
/** The next page loads when this many rows are left. */
const AHEAD = 40;
const route = getRouteApi('/ui/executions');

/** The list of executions: live, with its filter in the URL. */
export function ExecutionList(): ReactNode {
  useTitle('Executions');
  const search = route.useSearch();
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useExecutions(search);
  const rows = useMemo(() => rowsOf(data?.pages ?? []), [data]);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Filters search={search} shown={rows.length} isComplete={!hasNextPage && !isPending} />
      <Unmatched />
      {isPending ? (
        <Loading rows={12} label="Loading executions" />
      ) : error && rows.length === 0 ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : rows.length === 0 && !hasNextPage ? (
        <NoExecutions isFiltered={isFiltered} />
      ) : (
        <Rows
          rows={rows}
          hasMore={hasNextPage}
          loadMore={() => {
            if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
          }}
        />
      )}
    </div>
  );
}

/** Joins pages. `flatMap` takes 50 times as long for 1,000 pages, and each page that arrives joins all of them. */
function rowsOf(pages: readonly ExecutionPage[]): readonly ListedExecution[] {
  return ([] as ListedExecution[]).concat(...pages.map(({ executions }) => executions));
}

function useExecutions(search: ExecutionSearch) {
  const scope = useScope(search.userId);
  return useInfiniteQuery({
    queryKey: ['executions', search],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<ExecutionPage> => {
      return get(
        `executions${queryText({ ...queryOf(search, Date.now()), ...scope, limit: PAGE, cursor: pageParam })}`,
        signal,
      );
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Changed executions of which only the server knows whether they match. */
function Unmatched(): ReactNode {
  const { unknown, seen } = useLive();
  const client = useQueryClient();
  const { q, tool } = route.useSearch();
  if (unknown === 0 || (q === undefined && tool === undefined)) return null;
  const show = () => {
    seen();
    void client.resetQueries({ queryKey: ['executions'] });
  };
  return (
    <button type="button" className="button m-2 self-start" onClick={show}>
      {count(unknown)}
      {unknown === MAX_UNKNOWN && '+'} changed {unknown === 1 ? 'execution' : 'executions'}: search again
    </button>
  );
}

interface RowsProps {
  readonly rows: readonly ListedExecution[];
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

function Rows({ rows, hasMore, loadMore }: RowsProps): ReactNode {
  const scroll = useRef<HTMLDivElement>(null);
  const now = useNow();
  const navigate = useNavigate();
  const [active, setActive] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) loadMore();
  }, [last, rows.length, hasMore, loadMore]);
  const move = (step: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, active + step));
    setActive(next);
    virtual.scrollToIndex(next);
    focusItem(scroll.current, `[data-row="${next}"]`);
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ROW_STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(step);
    }
    const row = event.target instanceof HTMLElement ? rows[Number(event.target.dataset.row)] : undefined;
    if (event.key === 'Enter' && row) void navigate(linkTo(row));
  };
  return (
    <div
      ref={scroll}
      className="min-h-0 flex-1 overflow-auto"
      role="grid"
      tabIndex={-1}
      aria-label="Executions"
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      onKeyDown={onKeyDown}
    >
      <HeadingRow />
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row ? (
            <div
              key={row.executionId}
              role="presentation"
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <ExecutionRow execution={row} index={index} now={now} isActive={index === active} activate={setActive} />
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
}

function NoExecutions({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <Empty title="No execution matches this filter">
        <Link to="/ui/executions" search={{}}>
          Remove the filter
        </Link>
      </Empty>
    );
  return (
    <Empty title="Nothing has run yet">
      <p>
        Choose "Run a program" above, or connect an agent. For Cursor, Claude and others, run{' '}
        <code className="code">toolwright init</code>, or paste this into their list of MCP servers:
      </p>
      <pre className="code panel mt-3 overflow-x-auto p-3 text-left">{`"toolwright": { "url": "${new URL('mcp', document.baseURI).href}" }`}</pre>
      <p className="mt-3">Programs send theirs to this address:</p>
      <pre className="code panel mt-3 overflow-x-auto p-3 text-left">{`POST ${new URL('execute', document.baseURI).href}`}</pre>
    </Empty>
  );
}
