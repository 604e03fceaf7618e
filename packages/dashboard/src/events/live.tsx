import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { queryText, sessionQuery, useScope } from '../api/session.ts';
import type { ListedExecution } from '../api/types.ts';
import { endTracker } from './ended.ts';
import { listUpdater } from './lists.ts';
import { questionTracker } from './questions.ts';
import { sessionRefetcher } from './sessions.ts';
import { followExecutions, type StreamState } from './stream.ts';

/** The state of the stream, and the changed executions that a list may have to show. */
interface Live {
  readonly state: StreamState;
  /** At most {@link MAX_UNKNOWN}. */
  readonly unknown: number;
  readonly seen: () => void;
}

const LiveContext = createContext<Live>({ state: 'connecting', unknown: 0, seen: () => undefined });
/** More changed executions are not counted. */
export const MAX_UNKNOWN = 1_000;
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
  const unknown = useRef(new Set<string>());
  const [unknownCount, setUnknownCount] = useState(0);
  useEffect(() => {
    const waiting = new Map<string, ListedExecution>();
    const lists = listUpdater(client, (ids) => {
      for (const id of ids) if (unknown.current.size < MAX_UNKNOWN) unknown.current.add(id);
      setUnknownCount(unknown.current.size);
    });
    const refetch = refetcher(client);
    const refetchSessions = sessionRefetcher(client);
    const concernsQuestions = questionTracker(client);
    const trackEnds = endTracker(client);
    let frame: number | undefined;
    const apply = () => {
      frame = undefined;
      const changes = new Map(waiting);
      waiting.clear();
      lists.apply(changes);
      refetch(changes.keys(), concernsQuestions(changes.values()));
      refetchSessions(changes.values());
      trackEnds(changes.values());
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
        // A screen that failed while the server was away loads by itself.
        if (next === 'live') void client.refetchQueries({ type: 'active', predicate: hasFailed });
      },
    });
    return () => {
      end();
      lists.end();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [client, query]);
  const live = useMemo(() => {
    const seen = () => {
      unknown.current.clear();
      setUnknownCount(0);
    };
    return { state, unknown: unknownCount, seen };
  }, [state, unknownCount]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function hasFailed({ state }: Query): boolean {
  return state.status === 'error';
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
