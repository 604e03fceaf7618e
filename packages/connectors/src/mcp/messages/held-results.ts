import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** The member of `_meta` with the number of a held result. A server cannot know it. */
const HELD = `toolwright/held/${randomUUID()}`;
/** The id of the first call that does not pass through the SDK, which counts its own requests from 0. */
export const FIRST_CALL_ID = 1_000_000_000;
/** Results that are held at once. A result is taken as soon as its call has the answer; that of a cancelled call stays. */
const MAX_HELD = 10_000;

const held = new Map<number, object>();
let count = 0;

/**
 * Holds the result of a call aside while its message passes through the SDK, whose check of results refuses data that programs can use.
 * Returns the result for the SDK.
 */
export function holdResult(result: object): Readonly<Record<string, unknown>> {
  const [oldest] = held.size >= MAX_HELD ? held.keys() : [];
  if (oldest !== undefined) held.delete(oldest);
  held.set(++count, result);
  return { resultType: 'complete', content: [], _meta: { [HELD]: count } };
}

/** Returns a message for the SDK: the answer to a call that did not pass through it has its result held aside. */
export function withHeldResult(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !(Number(message.id) >= FIRST_CALL_ID)) return message;
  return message.result.resultType === undefined ? { ...message, result: holdResult(message.result) } : message;
}

/** Returns the held result of a call, once; undefined for a result that was not held. */
export function takeResult(result: unknown): object | undefined {
  const number: unknown = Object(Object(result)._meta)[HELD];
  if (typeof number !== 'number') return undefined;
  const found = held.get(number);
  held.delete(number);
  return found;
}
