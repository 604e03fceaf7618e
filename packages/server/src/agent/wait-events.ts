import type { ExecutionWait } from '../code-tools/execution-end.ts';
import type { NewEvent } from './task.ts';

/** Returns a function that reports the waits of a program as events of its task, whenever they change. */
export function waitEvents(
  onEvent: (event: NewEvent) => void,
  { call, execution }: { readonly call: string; readonly execution: string },
): (wait: ExecutionWait | undefined) => void {
  let shown = '';
  let isWaiting = false;
  return (wait) => {
    const text = wait === undefined ? '' : JSON.stringify(wait);
    if (text === shown) return;
    shown = text;
    // A time alone is no person.
    const waits = wait !== undefined && wait.questions.length > 0;
    if (wait) onEvent({ type: 'waiting', call, execution, ...wait });
    if (waits !== isWaiting) onEvent({ type: 'status', status: waits ? 'waiting' : 'running' });
    isWaiting = waits;
  };
}
