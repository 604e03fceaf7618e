import { AssertionError } from 'node:assert';
import { messageOf } from '@toolwright/core/errors';

/** Returns the error of a failed conformance case. It names the broken rule of the port, `store` for example. */
export function brokenRule(port: string, rule: string, cause: unknown): AssertionError {
  const message = `The ${port} breaks the rule "${rule}": ${messageOf(cause)}`;
  return Object.assign(new AssertionError({ message }), { cause });
}
