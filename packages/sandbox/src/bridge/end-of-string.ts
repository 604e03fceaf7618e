const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Characters that are compared one by one: for a short string, that is faster than a search. */
const NEAR_CHARACTERS = 40;

/** Returns the offset of the quote that ends the string which begins at an offset, or the length of the text. */
export function endOfString(text: string, start: number): number {
  const near = Math.min(text.length, start + NEAR_CHARACTERS);
  for (let index = start + 1; index < near; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) break;
  }
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
