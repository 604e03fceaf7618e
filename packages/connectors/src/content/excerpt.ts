import { cutOutsideValues } from '@toolwright/pii/internal';

/** Maximum characters of a server's error message. */
const MAX_CHARACTERS = 16 * 1024;

/** Returns the start of a server's text, with its full length when it is cut. */
export function excerpt(text: string, maxCharacters: number = MAX_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, cutOutsideValues(text, maxCharacters))}… (${text.length} characters in all)`;
}
