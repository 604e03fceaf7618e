/** Words of a value that are combined to parts. Longer values, such as texts, have no parts. */
const MAX_WORDS = 10;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Returns the parts of a value that programs look for: words and runs of words, also with the character before or after them
 * (`@x.com`). The value as a whole is not among them.
 */
export function partsOf(text: string): string[] {
  const words = [...text.matchAll(WORD)].map((found) => ({ start: found.index, end: found.index + found[0].length }));
  if (words.length > MAX_WORDS) return [];
  const parts = new Set<string>();
  for (const [index, { start }] of words.entries()) {
    for (const { end } of words.slice(index)) {
      for (const from of start > 0 ? [start - 1, start] : [start]) {
        for (const to of end < text.length ? [end, end + 1] : [end]) parts.add(text.slice(from, to));
      }
    }
  }
  parts.delete(text);
  return [...parts];
}
