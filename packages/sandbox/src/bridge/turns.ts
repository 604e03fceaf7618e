import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Returns a function that lets other guests run. If consecutive work of one guest has occupied the event loop for
 * longer than `maxMs`, it returns a promise of the next turn, otherwise nothing.
 */
export function createTurns(maxMs: number): () => Promise<void> | undefined {
  let started: number | undefined;
  const turn = (): Promise<void> | undefined => {
    if (started === undefined) {
      started = performance.now();
      setImmediate(() => {
        started = undefined;
      });
    } else if (performance.now() - started > maxMs) return nextTurn().then(turn);
    return undefined;
  };
  return turn;
}
