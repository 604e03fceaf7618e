/** Characters that could change how a client shows a text: control and format characters, line separators, and markup. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}<>&`]/gu;
/** Characters of a text that are invisible or move others. */
const HIDDEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

/** Returns a text of others as a part of one line, without markup. */
export function safe(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Returns a text of a server as indented lines: clients that render Markdown show it as code. */
export function quoted(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(HIDDEN, escaped)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Returns a text of a server for the label of a field. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escaped);
}

function escaped(found: string): string {
  return [...Array(found.length).keys()]
    .map((index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}
