import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { request, type Status } from '../../api/client.ts';
import { get, queryText } from '../../api/session.ts';
import { applyEvents, type LiveText, NO_TEXT, readEvents } from './live-text.ts';

/** A task of a model. */
export interface Task {
  readonly taskId: string;
  readonly sessionId: string;
  readonly task: string;
  readonly model: string;
  readonly status: Status | 'queued' | 'waiting';
  readonly createdAt: string;
  readonly answer: string | null;
  readonly error?: { readonly code: string; readonly message: string };
  readonly executions: readonly {
    readonly executionId: string;
    readonly status: Status;
    readonly toolCalls: number;
    readonly ms: number;
  }[];
  /** The open questions of a waiting task. */
  readonly pending?: readonly { readonly executionId: string; readonly kind: string; readonly tool: string }[];
  readonly usage: {
    readonly steps: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd?: number;
  };
}

interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextCursor?: string;
}

const PAGE = 20;
const REFRESH_MS = 2_000;
const NEW_TASKS_MS = 5_000;

/** Returns whether a task is queued, running or waiting. */
export function isOpen(task: Task): boolean {
  return task.status === 'queued' || hasBegun(task);
}

/** Returns whether a task is running or waiting. */
export function hasBegun({ status }: Task): boolean {
  return status === 'running' || status === 'waiting';
}

/** The query of the tasks of a session, newest first, by pages. */
export function tasksQuery(sessionId: string, userId: string) {
  return infiniteQueryOptions({
    queryKey: ['tasks', sessionId, userId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get<TaskPage>(`tasks${queryText({ userId, sessionId, limit: PAGE, cursor: pageParam })}`, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A refresh loads all pages again. More pages must not mean more requests.
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      const isBusy = pages.some(({ tasks }) => tasks.some(isOpen));
      return (isBusy ? REFRESH_MS : NEW_TASKS_MS) * Math.max(1, pages.length);
    },
  });
}

/** The query of the work on a task that does not run. A resumed task has more work at its next end. */
export function workQuery(taskId: string, status: Task['status'], userId: string) {
  return queryOptions({
    queryKey: ['work', taskId, userId, status],
    staleTime: status === 'interrupted' ? 0 : Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<LiveText> => {
      const path = `tasks/${encodeURIComponent(taskId)}/events${queryText({ userId })}`;
      // The stream of such a task ends after the last event.
      const response = await request(path, { headers: { accept: 'text/event-stream' }, signal });
      return applyEvents(NO_TEXT, readEvents(await response.text()));
    },
  });
}
