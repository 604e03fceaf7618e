import type { ExecutionResult } from '@toolwright/core';
import { EXIT } from '@toolwright/core/command';

/** The exit code that tells how an execution ended. */
export function exitCodeOf(result: ExecutionResult): number {
  if (result.status === 'completed') return EXIT.completed;
  if (result.status === 'stopped') return EXIT.stopped;
  return result.error.kind === 'user' ? EXIT.guestFailed : EXIT.defect;
}
