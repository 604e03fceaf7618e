import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, queryText } from '../api/session.ts';
import type { ExecutionPage } from '../events/apply.ts';
import type { LoggedExecution } from './session-executions.ts';

/** The most executions that a page of the list has. */
const PAGE = 200;

/** The query of a session with its log. */
export function sessionQuery(id: string, userId: string) {
  return queryOptions({
    queryKey: ['sessions', id, userId],
    queryFn: ({ signal }) =>
      get<{ readonly createdAt: string; readonly executions: readonly LoggedExecution[] }>(
        `sessions/${encodeURIComponent(id)}${queryText({ userId })}`,
        signal,
      ),
  });
}

/** The query of the newest executions of a session, to which the stream of changes adds new ones. */
export function listedQuery(sessionId: string, userId: string) {
  return infiniteQueryOptions({
    queryKey: ['executions', { sessionId, userId }, 'session'],
    initialPageParam: undefined,
    queryFn: ({ signal }) => get<ExecutionPage>(`executions${queryText({ sessionId, userId, limit: PAGE })}`, signal),
    getNextPageParam: () => undefined,
  });
}
