import {
  countValues,
  LISTS,
  MAX_VALUES,
  messageOf,
  parseExact,
  withQuotedIntegers,
} from '@toolwright/sandbox/internal';
import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from '../api.ts';
import { HttpProblem } from './problem.ts';

/** The largest request body, in bytes: the largest writable file as base64, with its JSON. */
export const MAX_BODY_BYTES: number = 8 * 1024 * 1024;
/** The deepest nesting of a JSON body. */
export const MAX_JSON_DEPTH = 32;
/** Maximum number of different names of members in a body. Its readers list them several times in one turn of the event loop. */
export const MAX_BODY_NAMES = 20_000;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Checks a JSON body before validation: type, encoding, depth, number of values, and the name `__proto__`.
 */
export function jsonBody(): MiddlewareHandler<HttpEnv> {
  return async ({ req }, next) => {
    requireType(req.header('content-type'), req.header('content-encoding'));
    const text = decode(await req.arrayBuffer());
    const values = countValues(text, { depth: MAX_JSON_DEPTH, values: MAX_VALUES, names: MAX_BODY_NAMES });
    if (values === 'deep') {
      throw new HttpProblem(400, 'MALFORMED_JSON', `The JSON nests deeper than ${MAX_JSON_DEPTH} levels. Flatten it.`);
    }
    if (values === 'many') {
      const detail = `The JSON has more than ${MAX_VALUES} values. Send fewer values, or send the data as one string.`;
      throw new HttpProblem(413, 'BODY_TOO_LARGE', detail);
    }
    if (values === 'names') {
      throw new HttpProblem(
        413,
        'BODY_TOO_LARGE',
        `The JSON has more than ${MAX_BODY_NAMES} different names. ${LISTS}`,
      );
    }
    // The validator parses the body again: a whole number beyond 2⁵³ must keep its digits.
    const exact = quoted(text);
    if (exact !== text) req.bodyCache = { text: Promise.resolve(exact) as never };
    checkNames(parse(exact));
    await next();
  };
}

/** Returns the text with its large whole numbers as texts. Refuses a number that Python programs could not read. */
function quoted(text: string): string {
  const exact = withQuotedIntegers(text);
  if (exact === text) return text;
  try {
    parseExact(text);
  } catch (error) {
    // Text that is not JSON is refused with its place.
    if (error instanceof RangeError) throw new HttpProblem(422, 'INVALID_REQUEST', error.message);
  }
  return exact;
}

function requireType(contentType = '', contentEncoding = 'identity'): void {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (type !== 'application/json' || !/^"?utf-8"?$/.test(charset ?? 'utf-8')) {
    const given = /^[\w.+-]+\/[\w.+-]+$/.test(type ?? '') ? `, not ${type?.slice(0, 80)}` : '';
    const detail = `The body must be application/json in UTF-8${given}. Send Content-Type: application/json.`;
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', detail);
  }
  if (contentEncoding.toLowerCase() !== 'identity') {
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body is compressed. Send it without Content-Encoding.');
  }
}

function decode(body: ArrayBuffer): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw new HttpProblem(400, 'MALFORMED_JSON', 'The body is not UTF-8. Encode it as UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Some engines quote the body in the message. It may be long or secret.
    const place = /at position \d+/.exec(messageOf(error))?.[0] ?? 'before its end';
    throw new HttpProblem(400, 'MALFORMED_JSON', `The body is not JSON: parsing failed ${place}.`);
  }
}

function checkNames(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) {
    throw new HttpProblem(400, 'MALFORMED_JSON', 'The body contains the name "__proto__". Remove it.');
  }
  for (const inner of Object.values(value)) checkNames(inner);
}
