import type { EncodedPart } from './part.ts';
import { readableText } from './readable.ts';

const RUN = /(?<![0-9a-zA-Z])(?:0x)?((?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,})(?![0-9a-zA-Z])/g;
const MAX_CHARACTERS = 2_000_000;

/** Returns the parts of a text that are hexadecimal of another text. Hashes and ids decode to no text. */
export function hexParts(text: string): EncodedPart[] {
  const parts: EncodedPart[] = [];
  for (const { 0: whole, 1: run = '', index } of text.matchAll(RUN)) {
    const read = run.length > MAX_CHARACTERS ? undefined : readableText(Buffer.from(run, 'hex'));
    // Digits alone are more often a number: 3132… decodes to digits.
    if (!read || /^\d*$/.test(read.text)) continue;
    const isUpper = /[A-F]/.test(run);
    const encode = (content: unknown) => {
      const hex = Buffer.from(String(content), read.charset).toString('hex');
      return isUpper ? hex.toUpperCase() : hex;
    };
    const start = index + whole.length - run.length;
    if (encode(read.text) === run)
      parts.push({ kind: 'hex', start, end: start + run.length, content: read.text, encode });
  }
  return parts;
}
