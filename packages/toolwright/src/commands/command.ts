import type { ExecutionResult } from '@toolwright/core';

/** Exit codes of the command line; other programs rely on them. */
export const EXIT = { completed: 0, guestFailed: 1, usage: 2, stopped: 3, defect: 4 } as const;

/** Where a command writes: results to `out`, everything for people to `err`. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** A wrong use of the command line; its message names the fix. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit code that tells how an execution ended. */
export function exitCodeOf(result: ExecutionResult): number {
  if (result.status === 'completed') return EXIT.completed;
  if (result.status === 'stopped') return EXIT.stopped;
  return result.error.kind === 'user' ? EXIT.guestFailed : EXIT.defect;
}
