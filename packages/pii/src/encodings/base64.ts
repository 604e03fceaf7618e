import type { EncodedPart } from './part.ts';
import { readableText } from './readable.ts';

/** A run of base64, in one line or in lines, with its padding. */
const RUN = /[A-Za-z0-9+/_-]{12,}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]+)*={0,2}/g;
const LINE_BREAK = /\r?\n|\\n/;
/** Longer runs are not decoded as a whole. */
const MAX_CHARACTERS = 1_400_000;

/** Returns the parts of a text that are base64 of RFC 4648 with either alphabet, also in lines of equal length. */
export function base64Parts(text: string): EncodedPart[] {
  const parts: EncodedPart[] = [];
  for (const { 0: run, index } of text.matchAll(RUN)) {
    // Lines of other lengths are other texts: each may be a part.
    const pieces = LINE_BREAK.test(run) && !hasEqualLines(run) ? pieceOffsets(run) : [{ run, offset: 0 }];
    for (const piece of pieces) {
      const part = partOf(piece.run, index + piece.offset);
      if (part) parts.push(part);
    }
  }
  return parts;
}

function partOf(run: string, start: number): EncodedPart | undefined {
  if (run.length > MAX_CHARACTERS) return undefined;
  const gap = LINE_BREAK.exec(run)?.[0] ?? '';
  const [first = ''] = gap === '' ? [run] : run.split(gap, 1);
  const joined = gap === '' ? run : run.replaceAll(gap, '');
  const read = readableText(Buffer.from(joined, 'base64'));
  if (!read) return undefined;
  const isUrl = /[-_]/.test(joined) || (!joined.endsWith('=') && joined.length % 4 !== 0);
  const hasPadding = joined.endsWith('=') || !isUrl;
  const encode = (content: unknown) => {
    const standard = Buffer.from(String(content), read.charset).toString('base64');
    const alphabet = isUrl ? standard.replaceAll('+', '-').replaceAll('/', '_') : standard;
    const encoded = hasPadding ? alphabet : alphabet.replace(/=+$/, '');
    return gap === '' ? encoded : (encoded.match(new RegExp(`.{1,${first.length}}`, 'g')) ?? []).join(gap);
  };
  if (encode(read.text) !== run) return undefined;
  return { kind: 'base64', start, end: start + run.length, content: read.text, encode };
}

/** Returns whether all lines but the last have the same length. */
function hasEqualLines(run: string): boolean {
  const lines = run.split(LINE_BREAK);
  const width = lines[0]?.length ?? 0;
  return lines.every((line, index) => (index === lines.length - 1 ? line.length <= width : line.length === width));
}

function pieceOffsets(run: string): { readonly run: string; readonly offset: number }[] {
  return [...run.matchAll(/[A-Za-z0-9+/_-]{12,}={0,2}/g)].map(({ 0: piece, index }) => ({ run: piece, offset: index }));
}
