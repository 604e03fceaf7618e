/** Characters of what an upstream says of a failure. */
const MAX_CHARACTERS = 16 * 1024;

/** The start of a text of an upstream, which may be of any length, with a word on what was left out. */
export function excerpt(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters in all)`;
}
