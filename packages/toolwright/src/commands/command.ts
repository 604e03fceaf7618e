import type { ExecutionResult } from '@toolwright/core';
import { EXIT, UsageError } from '@toolwright/core/command';

/** Returns the exit code of an execution's status. */
export function exitCodeOf(result: ExecutionResult): number {
  if (result.status === 'completed') return EXIT.completed;
  if (result.status === 'stopped') return EXIT.stopped;
  if (result.status === 'suspended') return EXIT.suspended;
  return result.error.kind === 'user' ? EXIT.guestFailed : EXIT.defect;
}

/** Parses an option that is JSON. Raises `UsageError`. */
export function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${name} must be JSON, such as '{"paid":true}' or '"a text"'.`);
  }
}
