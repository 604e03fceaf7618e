import { detectText } from '../detection/documents/text.ts';

/**
 * Takes personal data and secrets out of a line of a log, which is JSON and stays JSON: `[EMAIL]` stands for an address.
 * By the built-in rules alone, since a log has no session. Raises a `SyntaxError` for a line that it cannot keep JSON.
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

/** Tells whether a number stands by itself: what is left and right of it is punctuation of JSON, and no text. */
function isBare(line: string, start: number, end: number): boolean {
  return (
    /["\]}\w]\s*[:,]\s*$|[[:]\s*$/.test(line.slice(Math.max(0, start - 8), start)) &&
    /^\s*[,\]}]/.test(line.slice(end, end + 4))
  );
}
