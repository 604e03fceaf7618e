import { atOnce, type Steps } from '@toolwright/pii/internal';
import { countValueSteps, MAX_NAMES, parseExact } from '@toolwright/sandbox/internal';
import { parseJsonSteps } from './json-steps.ts';
import { MAX_MESSAGE_BYTES, MAX_MESSAGE_VALUES } from './message-meter.ts';

/** JSON with at most this many characters cannot exceed a limit of depth or size. */
const MAX_UNMEASURED = 1_000;
/** Characters of a text whose reading has several steps. */
const LONG_CHARACTERS = 128 * 1024;
/** Maximum nesting of JSON in a text. Deeper JSON stays text. */
const MAX_TEXT_DEPTH = 1_000;

/**
 * Reads a text block as data: JSON objects and lists are parsed. Other text stays text, also `42`, `true` and `null`. It may be an
 * id, a version or the content of a file: a program must get the same type each time. JSON also stays text when
 * it exceeds the limits of a message. A whole number beyond ±(2⁵³-1) is a `bigint`.
 */
export function textValue(text: string): unknown {
  return atOnce(readText(text));
}

/** Reads as {@link textValue}, in steps. */
export function* readText(text: string): Steps<unknown> {
  const isLong = text.length > LONG_CHARACTERS;
  if (isLong) yield;
  const trimmed = text.trim();
  // Most text is prose, and the exception of a failed parse is slow.
  if (!/^[[{]/.test(trimmed)) return text;
  let value: unknown;
  try {
    if (trimmed.length > MAX_UNMEASURED && (yield* isTooLarge(trimmed))) return text;
    if (isLong) yield;
    value = isLong ? yield* parseJsonSteps(trimmed) : parseExact(trimmed);
  } catch {
    return text;
  }
  if (isLong) yield;
  return value;
}

function* isTooLarge(json: string): Steps<boolean> {
  const values = yield* countValueSteps(json, { depth: MAX_TEXT_DEPTH, values: MAX_MESSAGE_VALUES, names: MAX_NAMES });
  return typeof values === 'string' || Buffer.byteLength(json) > MAX_MESSAGE_BYTES;
}
