import type { NormalText } from './normalise.ts';

const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g;

/** The value of the inside of a JSON string, with the way back to the offsets of its text. */
export function unescapeJson(source: string): NormalText {
  // Where each piece without escapes begins, in the value and in the source; between two is one escape.
  const values: number[] = [0];
  const sources: number[] = [0];
  let text = '';
  let last = 0;
  for (const match of source.matchAll(ESCAPE)) {
    text += source.slice(last, match.index);
    values.push(text.length);
    sources.push(match.index);
    text +=
      match[1] === undefined
        ? (LETTERS[match[2] ?? ''] ?? match[2] ?? '')
        : String.fromCharCode(Number.parseInt(match[1], 16));
    last = match.index + match[0].length;
    values.push(text.length);
    sources.push(last);
  }
  text += source.slice(last);
  const place = (index: number) => {
    const piece = lastAtMost(values, index);
    return { piece, offset: (sources[piece] ?? 0) + index - (values[piece] ?? 0) };
  };
  return {
    text,
    start: (index) => place(index).offset,
    end: (index) => {
      const { piece, offset } = place(index);
      // Odd pieces are escapes, which end where the next piece begins.
      return piece % 2 === 1 ? (sources[piece + 1] ?? source.length) : offset + 1;
    },
  };
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
