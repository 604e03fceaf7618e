import { cutOutsideValues } from '@toolwright/pii/internal';

/** Maximum characters of a server's error message. */
const MAX_CHARACTERS = 16 * 1024;

/** Returns the start of a server's text, with its full length when it is cut. */
export function excerpt(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, cutOutsideValues(text, MAX_CHARACTERS))}… (${text.length} characters in all)`;
}
