/** Letters of a type that are no chance. */
const MIN_LETTERS = 3;
const MAX_TAIL_CHARACTERS = 36;

/**
 * Returns the part of a placeholder that begins or ends a decoded text without the rest: `[EMAIL_` at its end, or `MAIL_1]`
 * at its beginning.
 */
export function cutPlaceholderIn(text: string, types: ReadonlySet<string>): string | undefined {
  const [end, begun = ''] = /\[([A-Z][A-Z_]{2,23}(?:_\d{1,7})?)$/.exec(text.slice(-MAX_TAIL_CHARACTERS)) ?? [];
  if (end !== undefined && someType(types, (type) => `${type}_`.startsWith(begun.replace(/\d+$/, '')))) return end;
  const [start, rest = ''] = /^([A-Z_]{2,24})_\d{1,7}\]/.exec(text.slice(0, MAX_TAIL_CHARACTERS)) ?? [];
  if (start !== undefined && someType(types, (type) => type.endsWith(rest))) return start;
  return undefined;
}

function someType(types: ReadonlySet<string>, matches: (type: string) => boolean): boolean {
  for (const type of types) if (type.length >= MIN_LETTERS && matches(type)) return true;
  return false;
}
