/** Returns the start of a text, with the number of missing characters. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (+${text.length - length} characters)` : text;
}
