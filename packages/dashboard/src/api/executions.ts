import { queryOptions } from '@tanstack/react-query';
import type { Execution, ExecutionCall } from './client.ts';
import { get, queryText, type Scope } from './session.ts';

const PAGE_CALLS = 500;
const MAX_CALLS = 10_000;

/** A file that a program showed: an image, a recording or another one. */
export interface Media {
  readonly type: 'image' | 'audio' | 'file';
  readonly mimeType: string;
  readonly path: string;
  /** The name that the program gave the file, if it gave one. */
  readonly name?: string;
  readonly bytes: number;
}

/** An execution with the parts that its result may have. */
export type LoadedExecution = Execution & {
  readonly userId?: string;
  readonly media?: readonly Media[];
  readonly note?: string;
  readonly line?: number;
};

/** Whether values have placeholders or the personal data that they stand for. The server logs who looks at real ones. */
export type Values = 'redacted' | 'real';

/** Real values leave the memory of the page when they are no longer shown. */
function keptOnlyIf(isKept: boolean): { readonly gcTime?: number } {
  return isKept ? {} : { gcTime: 0 };
}

/** The query of one execution. */
export function executionQuery(id: string, scope: Scope, values: Values = 'redacted') {
  return queryOptions({
    queryKey: ['execution', id, 'record', scope, values],
    ...keptOnlyIf(values === 'redacted'),
    queryFn: ({ signal }) => get<LoadedExecution>(`executions/${id}${queryText({ ...scope, values })}`, signal),
  });
}

/** Returns the path, in the API, of a file that the result of an execution names. */
export function filePathOf(id: string, path: string, userId: string): string {
  return `executions/${id}/file${queryText({ path, userId })}`;
}

/** The query of a call with its large values. */
export function wholeCallQuery(id: string, number: number, scope: Scope, values: Values) {
  return queryOptions({
    queryKey: ['execution', id, 'call', number, scope, values],
    // Large values leave the memory of the page too.
    gcTime: 0,
    queryFn: ({ signal }) =>
      get<ExecutionCall>(`executions/${id}/calls/${number}${queryText({ ...scope, values })}`, signal),
  });
}

/** The query of the calls of an execution, by pages. */
export function callsQuery(id: string, scope: Scope, values: Values = 'redacted') {
  return queryOptions({
    queryKey: ['execution', id, 'calls', scope, values],
    ...keptOnlyIf(values === 'redacted'),
    queryFn: async ({ signal }) => {
      const calls: ExecutionCall[] = [];
      while (calls.length < MAX_CALLS) {
        const query = queryText({ ...scope, values, after: calls.at(-1)?.number ?? 0, limit: PAGE_CALLS });
        const page = await get<{ readonly calls: readonly ExecutionCall[] }>(`executions/${id}/calls${query}`, signal);
        calls.push(...page.calls);
        if (page.calls.length < PAGE_CALLS) break;
      }
      return calls;
    },
  });
}
