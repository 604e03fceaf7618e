import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { queryText, sessionQuery, useScope } from '../api/session.ts';
import type { ListedExecution } from '../api/types.ts';
import type { ExecutionSearch } from '../executions/filter.ts';
import { applyChanges, type ExecutionPages } from './apply.ts';
import { questionTracker } from './questions.ts';
import { followExecutions, type StreamState } from './stream.ts';

/** The state of the stream, and the new executions that a list does not show yet. */
interface Live {
  readonly state: StreamState;
  readonly unknown: number;
  readonly seen: () => void;
}

const LiveContext = createContext<Live>({ state: 'connecting', unknown: 0, seen: () => undefined });
/** Details are fetched again at most this often, in milliseconds. */
const REFETCH_MS = 400;

/** Returns the state of the stream of changes. */
export function useLive(): Live {
  return useContext(LiveContext);
}

/** Follows all executions while the page is open, and applies changes to the loaded data once per animation frame. */
export function LiveUpdates({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const query = queryText(useScope());
  const [state, setState] = useState<StreamState>('connecting');
  const [unknown, setUnknown] = useState(0);
  useEffect(() => {
    const waiting = new Map<string, ListedExecution>();
    const refetch = refetcher(client);
    const concernsQuestions = questionTracker(client);
    let frame: number | undefined;
    const apply = () => {
      frame = undefined;
      const changes = new Map(waiting);
      waiting.clear();
      const added = applyToLists(client, changes);
      if (added > 0) setUnknown((before) => before + added);
      refetch(changes.keys(), concernsQuestions(changes.values()));
    };
    let isLost = false;
    const end = followExecutions(query, {
      onChanges(executions) {
        for (const execution of executions) waiting.set(execution.executionId, execution);
        frame ??= requestAnimationFrame(apply);
      },
      onCalls: (ids) => refetch(ids, false),
      onReset: () => void client.invalidateQueries(),
      onState(next) {
        setState(next);
        // The session may have ended, or belong to somebody else now.
        if (isLost || next === 'lost') void client.invalidateQueries({ queryKey: sessionQuery().queryKey });
        isLost = next === 'lost';
      },
    });
    return () => {
      end();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [client, query]);
  const live = useMemo(() => ({ state, unknown, seen: () => setUnknown(0) }), [state, unknown]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function applyToLists(client: QueryClient, changes: ReadonlyMap<string, ListedExecution>): number {
  let unknown = 0;
  for (const [key, pages] of client.getQueriesData<ExecutionPages>({ queryKey: ['executions'], type: 'active' })) {
    if (!pages) continue;
    const applied = applyChanges(pages, changes, key[1] as ExecutionSearch);
    unknown += applied.unknown;
    if (applied.pages !== pages) client.setQueryData(key, applied.pages);
  }
  return unknown;
}

/** Returns a function that fetches open details again: the first change at once, the next ones together. */
function refetcher(client: QueryClient): (changed: Iterable<string>, mayAsk: boolean) => void {
  const ids = new Set<string>();
  let asks = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    for (const id of ids) void client.invalidateQueries({ queryKey: ['execution', id] });
    ids.clear();
    for (const list of asks ? ['approvals', 'dry-runs'] : []) void client.invalidateQueries({ queryKey: [list] });
    asks = false;
  };
  return (changed, mayAsk) => {
    for (const id of changed) ids.add(id);
    asks ||= mayAsk;
    if (timer !== undefined) return;
    run();
    timer = setTimeout(() => {
      timer = undefined;
      if (ids.size > 0) run();
    }, REFETCH_MS);
  };
}
