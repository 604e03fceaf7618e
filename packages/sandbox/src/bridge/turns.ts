import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Returns a function that lets other guests run. If consecutive work of one guest has occupied the event loop for
 * longer than `maxMs`, it resolves in the next turn, otherwise at once.
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
