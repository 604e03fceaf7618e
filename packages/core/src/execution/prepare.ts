import type { PreparedSource } from '@toolwright/sandbox';
import { ToolwrightError } from '../errors.ts';
import type { Earlier, ExecutionContext, ExecutionSettings } from './execution.ts';

/** Prepares the program for its guest runtime. Raises `SOURCE_TOO_LARGE`, `SYNTAX`, and the reason of an aborted signal. */
export async function prepareProgram(
  source: string,
  { language }: ExecutionContext,
  settings: ExecutionSettings,
  earlier?: Earlier,
): Promise<PreparedSource> {
  // A caller that has gone needs neither a check nor a sandbox.
  settings.signal?.throwIfAborted();
  const bytes = Buffer.byteLength(source);
  const limit = settings.limits.sourceBytes;
  if (bytes > limit) {
    const message = `The program has ${bytes} bytes; the limit is ${limit}. Pass data through files or tools instead of the source.`;
    throw new ToolwrightError('SOURCE_TOO_LARGE', message);
  }
  return language.prepare(source, { keeps: keepsValues(settings, earlier) });
}

/** Returns whether the session keeps values of a program. Executions of older versions did not. */
export function keepsValues({ sessionId }: ExecutionSettings, earlier: Earlier | undefined): boolean {
  return earlier ? earlier.recording.start.keeps === true : sessionId !== undefined;
}
