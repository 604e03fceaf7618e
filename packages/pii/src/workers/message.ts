import type { Steps } from '../slices.ts';

/** A part of a text: ASCII with one byte per character, or UTF-16. */
export interface TextPart {
  readonly bytes: ArrayBuffer;
  readonly isWide: boolean;
}

/** A text for a worker, and what to search for, which can move to another thread. */
export interface SearchRequest<Search = unknown> {
  readonly parts: readonly TextPart[];
  readonly search: Search;
}

/** Numbers of one found value: start, end, and a number for its kind. */
const FOUND_NUMBERS = 3;
const PART_FOUND = 4_096;
const PACKED_CHARACTERS = 262_144;

/** Copies a text into buffers that move to another thread. */
export function* packSteps(text: string): Steps<TextPart[]> {
  const parts: TextPart[] = [];
  for (let at = 0; at < text.length; at += PACKED_CHARACTERS) {
    const part = text.slice(at, at + PACKED_CHARACTERS);
    const isWide = Buffer.byteLength(part) !== part.length;
    const bytes = new ArrayBuffer(isWide ? 2 * part.length : part.length);
    Buffer.from(bytes).write(part, isWide ? 'utf16le' : 'latin1');
    parts.push({ bytes, isWide });
    yield;
  }
  return parts;
}

/** Returns the text of buffers, and overwrites them: the text may contain personal data. */
export function unpack(parts: readonly TextPart[]): string {
  const texts = parts.map(({ bytes, isWide }) => {
    const buffer = Buffer.from(bytes);
    const text = buffer.toString(isWide ? 'utf16le' : 'latin1');
    buffer.fill(0);
    return text;
  });
  return texts.join('');
}

/** Returns found values as numbers: the main thread would need longer to copy objects than to find the values. */
export function packFound<Found extends { readonly start: number; readonly end: number }>(
  found: readonly Found[],
  kindOf: (one: Found) => number,
): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(FOUND_NUMBERS * found.length);
  for (const [index, one] of found.entries()) numbers.set([one.start, one.end, kindOf(one)], FOUND_NUMBERS * index);
  return numbers;
}

/** Returns the values of {@link packFound}. */
export function* foundSteps<Found>(
  numbers: Uint32Array,
  read: (start: number, end: number, kind: number) => Found,
): Steps<Found[]> {
  const found: Found[] = [];
  for (let at = 0; at < numbers.length; at += FOUND_NUMBERS) {
    if (found.length % PART_FOUND === PART_FOUND - 1) yield;
    found.push(read(numbers[at] ?? 0, numbers[at + 1] ?? 0, numbers[at + 2] ?? 0));
  }
  return found;
}
