import { fairQueue } from '@toolwright/sandbox/internal';

/** Requests that start in one turn of the event loop. In between, the server reads further requests. */
const STARTS_PER_TURN = 8;

/** Returns a function that starts work in a later turn of the event loop. Clients take turns. */
export function createTurns(): (client: string, start: () => void) => void {
  const waiting = fairQueue<() => void>();
  let scheduled = 0;
  const startNext = () => {
    scheduled--;
    waiting.shift()?.();
    schedule();
  };
  const schedule = () => {
    for (; scheduled < Math.min(STARTS_PER_TURN, waiting.length); scheduled++) setImmediate(startNext);
  };
  return (client, start) => {
    waiting.push(client, start);
    schedule();
  };
}
