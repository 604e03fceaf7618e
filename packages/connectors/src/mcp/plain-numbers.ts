import { holdsInteger } from '@toolwright/sandbox/internal';

/** Members that are numbers for their readers: limits of schemas, and progress. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties', 'progress', 'total'],
]);

/**
 * Returns a definition, a request or a notification of a server as JSON data without a `bigint`. Limits become the nearest number. Any other
 * whole number beyond ±(2⁵³-1) becomes the text of its digits, as in JavaScript. Other data stay the same object.
 */
export function plainNumbers<Value>(message: Value): Value {
  if (!holdsInteger(message)) return message;
  const plain = (key: string, value: unknown): unknown => {
    if (typeof value !== 'bigint') return value;
    return NUMBERS.has(key) ? Number(value) : String(value);
  };
  return JSON.parse(JSON.stringify(message, plain));
}
