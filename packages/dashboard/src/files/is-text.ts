const LOOKED_AT = 4_096;
/** A text may have some characters of another encoding. */
const MAX_UNREADABLE = 0.1;

/** Returns whether a decoded file is a text: it has no NUL, and few bytes that are not UTF-8. */
export function isText(decoded: string): boolean {
  if (decoded.includes('\0')) return false;
  const start = decoded.slice(0, LOOKED_AT);
  return start.split('\ufffd').length - 1 <= start.length * MAX_UNREADABLE;
}
