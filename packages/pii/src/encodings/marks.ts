/** Marks after base64; see `MARK`. In JSON text they are escaped. */
const MARKS = /(?<=[A-Za-z0-9+/_=-])(?:\f|\\f)+/g;

/** Returns a restored text without the marks of forms. Its base64 is as the program wrote it, and nothing reads the form again. */
export function withoutMarks(text: string): string {
  return text.includes('\f') || text.includes('\\f') ? text.replaceAll(MARKS, '') : text;
}
