import type { Query, QueryClient } from '@tanstack/react-query';
import type { ListedExecution } from '../api/types.ts';
import { applyChanges, type ExecutionPages } from './apply.ts';
import type { ExecutionSearch } from './filter.ts';

type Changes = ReadonlyMap<string, ListedExecution>;

/** Applies changes to all lists of executions in the memory of the page. */
export interface ListUpdater {
  apply(changes: Changes): void;
  end(): void;
}

/**
 * Creates the updater of lists. An answer may be older than changes that arrive while its list loads, and it replaces them: they are applied
 * once more after it. `onUnknown` gets the ids of executions of which only the server knows whether they belong to the shown list.
 */
export function listUpdater(client: QueryClient, onUnknown: (ids: readonly string[]) => void): ListUpdater {
  const cache = client.getQueryCache();
  /** Changes during a load, by the hash of the query. */
  const late = new Map<string, Map<string, ListedExecution>>();
  const applyTo = (query: Query, changes: Changes) => {
    const list = query.state.data as ExecutionPages | undefined;
    if (!list) return;
    const { pages, unknown } = applyChanges(list, changes, query.queryKey[1] as ExecutionSearch);
    if (pages !== list) client.setQueryData(query.queryKey, pages);
    if (unknown.length === 0) return;
    if (query.isActive()) onUnknown(unknown);
    // Nobody sees that a search has more: it runs again when it is shown.
    else cache.remove(query);
  };
  /** Applies the changes of a load. While the next one runs, they stay: it began without them. */
  const applyLate = (query: Query, changes: Changes = new Map()) => {
    const all = new Map([...(late.get(query.queryHash) ?? []), ...changes]);
    if (query.state.fetchStatus === 'fetching') late.set(query.queryHash, all);
    else late.delete(query.queryHash);
    if (all.size > 0) applyTo(query, all);
  };
  const end = cache.subscribe((event) => {
    const { query } = event;
    if (event.type === 'removed') late.delete(query.queryHash);
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return;
    if (late.has(query.queryHash)) applyLate(query);
  });
  return {
    apply(changes) {
      for (const query of cache.findAll({ queryKey: ['executions'] })) applyLate(query, changes);
    },
    end,
  };
}
