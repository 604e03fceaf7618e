import { cutOutsideValues } from '@toolwright/pii/internal';

const CONTROLS = /(?![\n\t])\p{Cc}/gu;

/** Returns a text without control characters other than line breaks and tabs. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Returns a text on one line, with single spaces. */
export function oneLine(text: string): string {
  return withoutControls(text)
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim();
}

/**
 * Estimates the tokens of a text: a quarter of its ASCII characters plus three quarters of the others. For ordinary text the
 * estimate is too high rather than too low. Use it to choose details; use `loadTokenizer` for limits.
 */
export function roughTokens(text: string): number {
  let quarters = 0;
  for (let index = 0; index < text.length; index++) quarters += text.charCodeAt(index) < 128 ? 1 : 3;
  return quarters / 4;
}

/** Returns the start of a text on one line, cut at a word with `…` when it exceeds about `maxTokens`. */
export function shorten(text: string, maxTokens: number): string {
  const line = oneLine(text.slice(0, maxTokens * 16));
  if (roughTokens(line) <= maxTokens && text.length <= maxTokens * 16) return line;
  let end = 0;
  for (let quarters = 0; end < line.length && quarters <= maxTokens * 4 - 4; end++) {
    quarters += line.charCodeAt(end) < 128 ? 1 : 3;
  }
  const cut = line.slice(0, cutOutsideValues(line, end)).replace(/[\ud800-\udbff]$/, '');
  const atWord = cut.lastIndexOf(' ');
  return `${cut.slice(0, atWord > cut.length * 0.6 ? atWord : undefined).replace(/[\s,;:.]+$/, '')}…`;
}
