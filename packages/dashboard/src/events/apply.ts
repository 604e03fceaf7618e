import type { ListedExecution } from '../api/types.ts';
import { belongs, type ExecutionSearch } from './filter.ts';

/** A page of the list. */
export interface ExecutionPage {
  readonly executions: readonly ListedExecution[];
  /** The place where the next page begins: start and id of the last execution that was looked at for this page. */
  readonly nextCursor?: string | undefined;
}

/** The pages that the list has loaded, newest first. */
export interface ExecutionPages {
  readonly pages: readonly ExecutionPage[];
  readonly pageParams: readonly unknown[];
}

/** A list that changes have been applied to. */
export interface Applied {
  readonly pages: ExecutionPages;
  /** Ids of executions of which only the server knows whether they match. */
  readonly unknown: readonly string[];
}

/** The most rows to which changes let a list grow. Older rows leave it, and load again when they are needed. */
const MAX_ROWS = 2_000;
const MS_DIGITS = 13;

/** Applies changes to a list: replaces known executions, removes those that no longer match, and adds others at their place by time. */
export function applyChanges(
  list: ExecutionPages,
  changes: ReadonlyMap<string, ListedExecution>,
  search: ExecutionSearch,
): Applied {
  const rest = new Map(changes);
  let isChanged = false;
  let pages = list.pages.map((page) => {
    if (!page.executions.some(({ executionId }) => rest.has(executionId))) return page;
    isChanged = true;
    const executions = page.executions.flatMap((row) => {
      const change = rest.get(row.executionId);
      if (!change) return [row];
      rest.delete(row.executionId);
      return belongs(change, search) === false ? [] : [{ ...row, ...change }];
    });
    return { ...page, executions };
  });
  const verdicts = [...rest.values()].map((change) => [change, belongs(change, search)] as const);
  const added = verdicts.filter(([, verdict]) => verdict === true).map(([change]) => change);
  const unknown = verdicts.filter(([, verdict]) => verdict === 'unknown').map(([{ executionId }]) => executionId);
  if (added.length > 0) {
    const grown = insert(pages, added.sort(newestFirst));
    isChanged ||= grown.some((page, index) => page !== pages[index]);
    pages = limited(grown, Math.max(MAX_ROWS, rowsOf(pages)));
  }
  if (!isChanged) return { pages: list, unknown };
  return { pages: { pages, pageParams: list.pageParams.slice(0, pages.length) }, unknown };
}

/** Adds executions to the pages of their times. Those of pages that are not loaded come with these. */
function insert(pages: readonly ExecutionPage[], added: readonly ListedExecution[]): ExecutionPage[] {
  let start = 0;
  return pages.map((page) => {
    let end = start;
    for (let row = added[end]; row && isWithin(page, row); row = added[end]) end++;
    const own = added.slice(start, end);
    start = end;
    return own.length === 0 ? page : { ...page, executions: [...own, ...page.executions].sort(newestFirst) };
  });
}

/** Returns whether an execution is not older than a page. */
function isWithin({ nextCursor }: ExecutionPage, row: ListedExecution): boolean {
  return nextCursor === undefined || cursorOf(row) >= nextCursor;
}

/** Returns the first rows of pages. The last page begins the next one after them. */
function limited(pages: readonly ExecutionPage[], most: number): ExecutionPage[] {
  let room = most;
  return pages.flatMap((page) => {
    const executions = page.executions.slice(0, room);
    const last = executions.at(-1);
    if (executions.length === page.executions.length) {
      const isShown = room > 0;
      room -= executions.length;
      return isShown ? [page] : [];
    }
    room = 0;
    return last ? [{ ...page, executions, nextCursor: cursorOf(last) }] : [];
  });
}

function rowsOf(pages: readonly ExecutionPage[]): number {
  return pages.reduce((sum, { executions }) => sum + executions.length, 0);
}

/** Sorts as the server does. */
function newestFirst(a: ListedExecution, b: ListedExecution): number {
  if (a.startedAt === b.startedAt) return a.executionId < b.executionId ? 1 : -1;
  return a.startedAt < b.startedAt ? 1 : -1;
}

function cursorOf({ startedAt, executionId }: ListedExecution): string {
  return `${String(Date.parse(startedAt)).padStart(MS_DIGITS, '0')}.${executionId}`;
}
