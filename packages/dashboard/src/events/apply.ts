import type { ListedExecution } from '../api/types.ts';
import { belongs, type ExecutionSearch } from '../executions/filter.ts';

/** A page of the list. */
export interface ExecutionPage {
  readonly executions: readonly ListedExecution[];
  readonly nextCursor?: string | undefined;
}

/** The pages that the list has loaded, newest first. */
export interface ExecutionPages {
  readonly pages: readonly ExecutionPage[];
  readonly pageParams: readonly unknown[];
}

/** The most rows that the first page keeps: older ones of it come again when the list loads. */
const MAX_FIRST_PAGE = 2_000;

/**
 * Applies changes to a list: replaces known executions, removes those that no longer match, and adds new ones at the top.
 * Returns also the number of new executions of which only the server knows whether they match.
 */
export function applyChanges(
  pages: ExecutionPages,
  changes: ReadonlyMap<string, ListedExecution>,
  search: ExecutionSearch,
): { readonly pages: ExecutionPages; readonly unknown: number } {
  const rest = new Map(changes);
  let isChanged = false;
  const updated = pages.pages.map((page) => {
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
  const first = updated[0];
  const newest = first?.executions[0]?.startedAt ?? '';
  // Those that are older than the first row belong to a page that is not loaded, or to its order by time.
  const added = verdicts.filter(([change, verdict]) => verdict === true && change.startedAt >= newest);
  const unknown = verdicts.filter(([, verdict]) => verdict === 'unknown').length;
  if (first && added.length > 0) {
    isChanged = true;
    const rows = added.map(([change]) => change).sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    updated[0] = { ...first, executions: [...rows, ...first.executions].slice(0, MAX_FIRST_PAGE) };
  }
  return { pages: isChanged ? { ...pages, pages: updated } : pages, unknown };
}
