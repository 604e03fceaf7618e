import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../api/client.ts';
import { get, queryText, type Scope } from '../../api/session.ts';

/** A draft of an n8n workflow with its nodes, connections and problems. */
export type WorkflowDraft = Answer<'/executions/{id}/drafts/{call}'>;
export type DraftSummary = Answer<'/drafts'>['drafts'][number];
export type DraftNode = WorkflowDraft['nodes'][number];
export type DraftConnection = WorkflowDraft['connections'][number];
export type DraftProblem = NonNullable<WorkflowDraft['problems']>[number];

/** The query of the drafts of a session, or of all sessions, by pages. */
export function draftsQuery(scope: Scope, sessionId?: string) {
  return infiniteQueryOptions({
    queryKey: ['drafts', scope, sessionId],
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get<Answer<'/drafts'>>(`drafts${queryText({ ...scope, sessionId, cursor: pageParam })}`, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** The query of one draft: the execution, and the number of the first call with it. */
export function draftQuery(id: string, call: string, userId: string) {
  return queryOptions({
    queryKey: ['drafts', id, call, userId],
    queryFn: ({ signal }) =>
      get<WorkflowDraft>(
        `executions/${encodeURIComponent(id)}/drafts/${encodeURIComponent(call)}${queryText({ userId })}`,
        signal,
      ),
  });
}

/** Returns the state of a draft in words: the number of its problems. */
export function stateText({ errors, warnings }: Pick<DraftSummary, 'errors' | 'warnings'>): string {
  if (errors === undefined || warnings === undefined) return 'not validated';
  if (errors + warnings === 0) return 'no problems';
  return [numberOf(errors, 'error'), numberOf(warnings, 'warning')].filter((text) => text !== '').join(', ');
}

/** Returns a number with its noun: `2 errors`. Empty for none. */
export function numberOf(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Returns the short form of a node type: `httpRequest` of `n8n-nodes-base.httpRequest`. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** Returns the port of a connection in words, unless it is the first one. Numbers are those of the workflow, from 0. */
export function portText(name: 'output' | 'input', number: number): string {
  return number === 0 ? '' : `, ${name} ${number}`;
}
