import { SandboxError } from '../errors.ts';

/** Returns the error of a text that a worker could not read. */
export function complexityError(problem = 'takes too much memory or nests too deeply'): SandboxError {
  const fix = 'Split it into smaller parts, break long chains of operators, and pass data through a file or a tool.';
  return new SandboxError('SOURCE_TOO_COMPLEX', `The source is too complex to be read: it ${problem}. ${fix}`);
}

/** Returns the error of a text that had to wait too long. */
export function busyError(problem: string): SandboxError {
  const message = `Too many programs are prepared at once. ${problem} Try again in some seconds.`;
  return new SandboxError('LANGUAGE_SERVICE_BUSY', message);
}

/** Returns the error of a text whose worker did not start. `why` is the reason, if it is known. */
export function startError(why = 'its process ended. Try again in some seconds.'): SandboxError {
  return new SandboxError('LANGUAGE_SERVICE_BUSY', `The process that reads programs did not start: ${why}`);
}
