import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '../api/client.ts';
import { get, queryText, type Scope } from '../api/session.ts';
import type { Approval } from '../api/types.ts';
import type { OpenQuestions } from './open-questions.ts';

/** Questions that are loaded at first. */
export const FIRST_PAGE = 200;
/** The most questions of one request. */
export const PAGE = 500;
/** Milliseconds after which a list that could not be loaded is loaded again. */
const RETRY_MS = 5_000;

/** The selection of loaded questions. */
export interface ShownQuestions {
  readonly executionId?: string | undefined;
  readonly tool?: string | undefined;
  /** Whether arguments have placeholders or the personal data that they stand for. The server logs who looks at real ones. */
  readonly values?: 'redacted' | 'real';
  /** The most questions, the oldest ones. */
  readonly size?: number;
}

/** The query of the open questions that a person may decide. It loads as many pages as needed. */
export function approvalsQuery(
  scope: Scope,
  { executionId, tool, values = 'redacted', size = FIRST_PAGE }: ShownQuestions = {},
) {
  const shown = { ...scope, executionId, tool, arguments: values === 'real' ? values : undefined };
  return queryOptions({
    queryKey: ['approvals', { ...scope, executionId, tool }, values, size],
    staleTime: 5_000,
    // Real values leave the memory of the page when they are no longer shown.
    gcTime: values === 'real' ? 0 : undefined,
    // A question that reappears after a failed decision must not stay hidden until the next change.
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_MS : false),
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<OpenQuestions> => {
      const approvals: Approval[] = [];
      for (let cursor: string | undefined; ; ) {
        const limit = Math.min(size - approvals.length, PAGE);
        const path = `approvals${queryText({ ...shown, limit, cursor })}`;
        const { approvals: page, nextCursor, total, isPart } = await get<Answer<'/approvals'>>(path, signal);
        approvals.push(...page);
        if (nextCursor === undefined || approvals.length >= size) return { approvals, total, isPart };
        cursor = nextCursor;
      }
    },
  });
}

/** The query of the decided questions of an execution. */
export function decisionsQuery(executionId: string, scope: Scope) {
  return queryOptions({
    queryKey: ['execution', executionId, 'decisions', scope],
    staleTime: 0,
    queryFn: ({ signal }) =>
      get<Answer<'/executions/{id}/decisions'>>(
        `executions/${encodeURIComponent(executionId)}/decisions${queryText(scope)}`,
        signal,
      ),
  });
}
