import type { QueryClient } from '@tanstack/react-query';
import type { ListedExecution } from '../api/types.ts';
import type { OpenQuestions } from '../approvals/open-questions.ts';

/**
 * Returns a function that finds whether changes concern open questions. They do if an execution has some, had some before, or is a dry
 * run. Most executions never have any, so that their changes need no request.
 */
export function questionTracker(client: QueryClient): (changes: Iterable<ListedExecution>) => boolean {
  const asking = new Set<string>();
  return (changes) => {
    const lists = client.getQueriesData<OpenQuestions>({ queryKey: ['approvals'] }).map(([, data]) => data);
    const isCut = lists.some((list) => list !== undefined && list.total > list.approvals.length);
    const shown = new Set(lists.flatMap((list) => list?.approvals.map(({ executionId }) => executionId) ?? []));
    let isConcerned = isCut;
    for (const { executionId, openQuestions, isDryRun } of changes) {
      const had = asking.has(executionId) || shown.has(executionId);
      if (openQuestions > 0) asking.add(executionId);
      else asking.delete(executionId);
      isConcerned ||= had || openQuestions > 0 || isDryRun === true;
    }
    return isConcerned;
  };
}
