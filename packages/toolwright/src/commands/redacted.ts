import type { Toolwright } from '@toolwright/core';
import type { Output } from '@toolwright/core/command';

/**
 * Returns data that servers and skills wrote in the form for its reader. A person at a terminal reads it as it is. A pipe and
 * `--json` get placeholders, because a model may read them.
 */
export function redactedFor<T>(
  value: T,
  toolwright: Pick<Toolwright, 'pii'>,
  { isTerminal }: Output,
  json: boolean,
): Promise<T> {
  return isTerminal && !json ? Promise.resolve(value) : toolwright.pii.redact(value);
}
