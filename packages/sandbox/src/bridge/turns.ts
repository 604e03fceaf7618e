import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Keeps one guest from holding up all others: work that has kept the event loop for longer than `maxMs`, one piece right
 * after the other, goes on in a later turn. The function resolves at once in all other cases.
 */
export function createTurns(maxMs: number): () => Promise<void> {
  let started: number | undefined;
  return async () => {
    if (started !== undefined && performance.now() - started > maxMs) await nextTurn();
    if (started !== undefined) return;
    started = performance.now();
    setImmediate(() => {
      started = undefined;
    });
  };
}
