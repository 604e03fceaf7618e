import { cutOutsideValues } from '@toolwright/pii/internal';

/** Returns a string literal for JavaScript, TypeScript and Python. U+2028 and U+2029 are escaped for old parsers. */
export function sourceString(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Returns a property name for an object type, quoted where necessary. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : sourceString(name);
}

const LINE_ENDS = /\r\n?|[\u2028\u2029\v\f]/g;
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

/** Returns the lines of a text, without control characters; one empty line for an empty text. */
export function plainLines(text: string): string[] {
  return text.replace(LINE_ENDS, '\n').replace(CONTROLS, '').trim().split('\n');
}

/** Returns a documentation comment. The first line is not indented. Escapes the text; returns nothing for an empty text. */
export function docComment(text: string, indent = ''): string {
  const lines = plainLines(text).map((line) => line.replaceAll('*/', '*\\/'));
  if (lines.length === 1) return lines[0] === '' ? '' : `/** ${lines[0]} */\n${indent}`;
  const body = lines.map((line) => `${indent} * ${line.trimEnd()}`.trimEnd()).join('\n');
  return `/**\n${body}\n${indent} */\n${indent}`;
}

/** Returns a text on one line, with single spaces. */
export function oneLine(text: string): string {
  return text
    .replace(CONTROLS, '')
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

let lastMs = 0;
let lastTime = '';

/** Returns the time of now in ISO 8601. Many entries have the same one, and writing it takes as long as the rest of an entry. */
export function timeText(): string {
  const nowMs = Date.now();
  if (nowMs !== lastMs) lastTime = new Date(nowMs).toISOString();
  lastMs = nowMs;
  return lastTime;
}
