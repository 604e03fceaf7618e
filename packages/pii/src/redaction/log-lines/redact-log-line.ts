import { detectText } from '../../detection/documents/text.ts';

/**
 * Redacts a JSON line of a log and returns JSON: `[EMAIL]` stands for an address. Uses the built-in rules alone, because a
 * log has no session. Raises a `SyntaxError` if the result would not be JSON.
 */
export function redactLogLine(line: string): string {
  const spans = detectText(line);
  if (spans.length === 0) return line;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, type } of spans) {
    const isNumber = /^-?[\d.eE+]+$/.test(line.slice(start, end)) && isBare(line, start, end);
    parts.push(line.slice(at, start), isNumber ? `"[${type}]"` : `[${type}]`);
    at = end;
  }
  const redacted = parts.join('') + line.slice(at);
  JSON.parse(redacted);
  return redacted;
}

/** Checks whether a number is a JSON number and not a part of a string: JSON punctuation surrounds it. */
function isBare(line: string, start: number, end: number): boolean {
  return (
    /["\]}\w]\s*[:,]\s*$|[[:]\s*$/.test(line.slice(Math.max(0, start - 8), start)) &&
    /^\s*[,\]}]/.test(line.slice(end, end + 4))
  );
}
