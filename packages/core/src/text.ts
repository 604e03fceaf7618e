import { withoutControls } from '@toolwright/connectors/internal';

/** Returns a string literal for JavaScript, TypeScript and Python. U+2028 and U+2029 are escaped for old parsers. */
export function sourceString(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Returns a property name for an object type, quoted where necessary. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : sourceString(name);
}

const LINE_ENDS = /\r\n?|[\u2028\u2029\v\f]/g;

/** Returns the lines of a text, without control characters; one empty line for an empty text. */
export function plainLines(text: string): string[] {
  return withoutControls(text.replace(LINE_ENDS, '\n')).trim().split('\n');
}

/** Returns a documentation comment. The first line is not indented. Escapes the text; returns nothing for an empty text. */
export function docComment(text: string, indent = ''): string {
  const lines = plainLines(text).map((line) => line.replaceAll('*/', '*\\/'));
  if (lines.length === 1) return lines[0] === '' ? '' : `/** ${lines[0]} */\n${indent}`;
  const body = lines.map((line) => `${indent} * ${line.trimEnd()}`.trimEnd()).join('\n');
  return `/**\n${body}\n${indent} */\n${indent}`;
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
