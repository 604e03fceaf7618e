import type { QueryClient } from '@tanstack/react-query';

/** A session is fetched again at most this often, in milliseconds. */
const REFETCH_MS = 400;

/**
 * Returns a function that fetches open sessions again, with their files, when their executions change: the first change at once, the next
 * ones together.
 */
export function sessionRefetcher(
  client: QueryClient,
): (changes: Iterable<{ readonly sessionId?: string | undefined }>) => void {
  const ids = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    for (const id of ids)
      for (const name of ['sessions', 'files']) void client.invalidateQueries({ queryKey: [name, id] });
    ids.clear();
    // A session that was used is the first of the list.
    void client.invalidateQueries({ queryKey: ['sessions'], exact: true });
  };
  return (changes) => {
    for (const { sessionId } of changes) if (sessionId !== undefined) ids.add(sessionId);
    if (timer !== undefined || ids.size === 0) return;
    run();
    timer = setTimeout(() => {
      timer = undefined;
      run();
    }, REFETCH_MS);
  };
}
