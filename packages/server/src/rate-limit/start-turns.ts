import { ToolwrightError } from '@toolwright/core';
import { fairQueue, mayTakeAnother } from '@toolwright/sandbox/internal';

/** Runs work when its user is in turn. Raises `CANCELLED` when the signal aborts before. */
export type RunInTurn = <T>(user: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Returns a function that runs at most `maxStarted` pieces of work at once. Users take turns, and leave places to others. */
export function createStartTurns(maxStarted: number): RunInTurn {
  const waiting = fairQueue<() => void>();
  const started = createCounts();
  const nextTurn = createEventLoopTurns();
  const mayStart = (user: string) => mayTakeAnother(started.of(user), maxStarted - started.total());
  const startNext = () => {
    for (let next = waiting.shift(mayStart); next; next = waiting.shift(mayStart)) next();
  };
  const turnOf = (user: string, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        waiting.remove(user, start);
        const error = new ToolwrightError('CANCELLED', 'The execution was cancelled before it started.');
        void nextTurn(user).then(() => reject(error));
      };
      const start = () => {
        signal?.removeEventListener('abort', leave);
        started.add(user);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(user, start);
      startNext();
    });
  return async (user, work, signal) => {
    await turnOf(user, signal);
    await nextTurn(user);
    try {
      return await work();
    } finally {
      started.remove(user);
      startNext();
    }
  };
}

/**
 * Returns a function that resolves in the user's next turn. One execution starts or is cancelled per turn of the event loop, so
 * that the server can read new requests in between. Users take turns here too.
 */
function createEventLoopTurns(): (user: string) => Promise<void> {
  const waiting = fairQueue<() => void>();
  const runNext = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(runNext);
  };
  return (user) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(runNext);
      waiting.push(user, resolve);
    });
}

/** Counts by user. */
export function createCounts(): {
  of(user: string): number;
  total(): number;
  add(user: string): void;
  remove(user: string): void;
} {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    of: (user) => counts.get(user) ?? 0,
    total: () => total,
    add(user) {
      counts.set(user, (counts.get(user) ?? 0) + 1);
      total++;
    },
    remove(user) {
      const left = (counts.get(user) ?? 0) - 1;
      if (left > 0) counts.set(user, left);
      else counts.delete(user);
      total--;
    },
  };
}
