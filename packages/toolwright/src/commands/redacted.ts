import type { Toolwright } from '@toolwright/core';
import type { Output } from '@toolwright/core/command';
import { ToolwrightError } from '@toolwright/core/errors';

/**
 * Returns data that servers and skills wrote in the form for its reader. A person at a terminal reads it as it is. A pipe and
 * `--json` get placeholders, because a model may read them.
 */
export function redactedFor<T>(value: T, toolwright: Toolwright, { isTerminal }: Output, json: boolean): Promise<T> {
  return isTerminal && !json ? Promise.resolve(value) : toolwright.pii.redact(value);
}

/** Returns an error of the core with a redacted message: a server may have written a part of it. Other errors stay. */
export async function redactedError(error: unknown, { pii }: Toolwright): Promise<unknown> {
  if (!(error instanceof ToolwrightError)) return error;
  return new ToolwrightError(error.code, await pii.redact(error.message), { details: error.details });
}
