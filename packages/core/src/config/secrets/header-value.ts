/** The problem of a text that no header can have. */
export const HEADER_VALUE = 'a header has one line of Latin characters; remove line breaks and other characters';

/** Returns whether a text can be the value of an HTTP header (RFC 9110, section 5.5). */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
