import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import type { Answer } from '../api/client.ts';
import { get, pathText, queryText, type Scope } from '../api/session.ts';

/** A page of a plugin. */
export type Page = Answer<'/pages'>['pages'][number];
/** A graph of a page with its nodes, connections and problems. */
export type Graph = Answer<'/pages/{page}/{id}/{call}'>;
export type GraphSummary = Answer<'/pages/{page}'>['graphs'][number];
export type GraphNode = Graph['nodes'][number];
export type GraphConnection = Graph['connections'][number];
export type GraphProblem = NonNullable<Graph['problems']>[number];

/** Returns the pages of the plugins; none while they load. */
export function usePages(): readonly Page[] {
  return useQuery(pagesQuery()).data ?? [];
}

/** The query of the pages of the plugins. */
export function pagesQuery() {
  return queryOptions({
    queryKey: ['pages'],
    queryFn: async ({ signal }) => (await get<Answer<'/pages'>>('pages', signal)).pages,
  });
}

/** The query of the graphs of a session, or of all sessions, by pages. */
export function graphsQuery(page: string, scope: Scope, sessionId?: string) {
  return infiniteQueryOptions({
    queryKey: ['pages', page, scope, sessionId],
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get<Answer<'/pages/{page}'>>(
        `pages/${pathText(page)}${queryText({ ...scope, sessionId, cursor: pageParam })}`,
        signal,
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** The query of one graph: the execution, and the number of the first call with it. */
export function graphQuery(page: string, id: string, call: string, userId: string) {
  return queryOptions({
    queryKey: ['pages', page, id, call, userId],
    queryFn: ({ signal }) =>
      get<Graph>(`pages/${[page, id, call].map(encodeURIComponent).join('/')}${queryText({ userId })}`, signal),
  });
}

/** Returns the state of a graph in words: the number of its problems. */
export function stateText({ errors, warnings }: { readonly errors?: number; readonly warnings?: number }): string {
  if (errors === undefined || warnings === undefined) return 'not validated';
  if (errors + warnings === 0) return 'no problems';
  return [numberOf(errors, 'error'), numberOf(warnings, 'warning')].filter((text) => text !== '').join(', ');
}

/** Returns a number with its noun: `2 errors`. Empty for none. */
export function numberOf(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Returns the short form of a node type: `noOp` of `example.noOp`. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** Returns the port of a connection in words, unless it is the first one. Numbers are those of the graph, from 0. */
export function portText(name: 'output' | 'input', number: number): string {
  return number === 0 ? '' : `, ${name} ${number}`;
}
