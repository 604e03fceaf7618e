import { encodedParts } from '../encodings/encoding.ts';
import type { EncodedPart } from '../encodings/part.ts';
import { PiiError } from '../errors.ts';

/** Encodings around a placeholder that are decoded. */
const MAX_DEPTH = 4;
/** A part of a placeholder at the start or the end of a text. */
const CUT_START = /^([A-Z][A-Z0-9_]*)_\d{1,9}\]/;
const CUT_END = /\[([A-Z][A-Z0-9_]{2,})$/;
/** A text in which a placeholder can be: in itself, or in a part that is encoded once more. */
const PLACEHOLDER = /\[~*[A-Z][A-Z0-9_]{1,23}_\d/i;

/**
 * Returns the encoded parts of a text that have placeholders, at any depth. Raises `PII_DENIED` for a part that begins or ends inside of
 * a placeholder: its value cannot be restored.
 */
export function partsToRestore(text: string, types: ReadonlySet<string>, depth = 0): EncodedPart[] {
  if (depth >= MAX_DEPTH) return [];
  return encodedParts(text).filter(({ kind, content }) => {
    if (kind === 'base64' || kind === 'hex') refuseCut(String(content), types);
    return hasEncodedPlaceholder(content, depth);
  });
}

/** Returns whether the content of an encoded part has a text that looks like a placeholder, at any depth. */
export function hasEncodedPlaceholder(content: unknown, depth = 0): boolean {
  if (typeof content === 'string') {
    if (PLACEHOLDER.test(content)) return true;
    if (depth + 1 >= MAX_DEPTH) return false;
    return encodedParts(content).some((part) => hasEncodedPlaceholder(part.content, depth + 1));
  }
  if (typeof content !== 'object' || content === null) return false;
  return Object.entries(content).some(([key, child]) => PLACEHOLDER.test(key) || hasEncodedPlaceholder(child, depth));
}

function refuseCut(text: string, types: ReadonlySet<string>): void {
  const start = CUT_START.exec(text)?.[1];
  const end = CUT_END.exec(text)?.[1];
  const isStart = start !== undefined && [...types].some((type) => type.endsWith(start));
  const isEnd = end !== undefined && [...types].some((type) => `${type}_`.startsWith(end.replace(/\d+$/, '')));
  if (!isStart && !isEnd) return;
  throw new PiiError(
    'PII_DENIED',
    'An encoded text of the arguments begins or ends inside of a placeholder, so nothing was restored or sent. Encode the whole text at once: pieces of a placeholder have no value.',
  );
}
