import { joinSteps, PART_ITEMS, type Steps } from '../slices.ts';

/** A plain text, with the offsets in the original. */
export interface NormalText {
  readonly text: string;
  /** Returns the start of the character at `index` in the original; `end` returns its end. */
  start(index: number): number;
  end(index: number): number;
}

const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const UNICODE = /^[0-9a-fA-F]{4}$/;

/** Returns the value of the inside of a JSON string, with the offsets in its text. */
export function* unescapeSteps(source: string): Steps<NormalText> {
  // Starts of the pieces without escapes, in the value and in the source. One escape is between two pieces.
  const values: number[] = [0];
  const sources: number[] = [0];
  const pieces: string[] = [];
  let length = 0;
  let last = 0;
  for (let at = source.indexOf('\\'); at >= 0 && at + 1 < source.length; at = source.indexOf('\\', last)) {
    const letter = source[at + 1] ?? '';
    const code = letter === 'u' ? source.slice(at + 2, at + 6) : '';
    const unicode = UNICODE.test(code);
    length += at - last;
    values.push(length++);
    sources.push(at);
    pieces.push(
      source.slice(last, at),
      unicode ? String.fromCharCode(Number.parseInt(code, 16)) : (LETTERS[letter] ?? letter),
    );
    last = at + (unicode ? 6 : 2);
    values.push(length);
    sources.push(last);
    // The number is odd here.
    if (values.length % PART_ITEMS === 1) yield;
  }
  pieces.push(source.slice(last));
  const text = yield* joinSteps(pieces);
  const place = (index: number) => {
    const piece = lastAtMost(values, index);
    return { piece, offset: (sources[piece] ?? 0) + index - (values[piece] ?? 0) };
  };
  return {
    text,
    start: (index) => place(index).offset,
    end: (index) => {
      const { piece, offset } = place(index);
      // Odd pieces are escapes, which end at the start of the next piece.
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
