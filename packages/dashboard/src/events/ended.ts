import type { QueryClient } from '@tanstack/react-query';
import type { ListedExecution } from '../api/types.ts';

/** A program saves skills at its end, and its calls find changed definitions. */
const CHANGED = [['skills'], ['pins']];
const ENDED: ReadonlySet<ListedExecution['status']> = new Set(['completed', 'failed', 'stopped', 'cancelled']);
/** Lists are fetched again at most this often, in milliseconds. */
const REFETCH_MS = 2_000;

/** Returns a function that fetches the open lists of skills and pins again when executions have ended. */
export function endTracker(client: QueryClient): (changes: Iterable<ListedExecution>) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOld = false;
  const refetch = () => {
    isOld = false;
    for (const queryKey of CHANGED) void client.invalidateQueries({ queryKey });
    timer = setTimeout(() => {
      timer = undefined;
      if (isOld) refetch();
    }, REFETCH_MS);
  };
  return (changes) => {
    if (![...changes].some(({ status }) => ENDED.has(status))) return;
    if (timer === undefined) refetch();
    else isOld = true;
  };
}
