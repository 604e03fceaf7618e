// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them to escape them
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes control characters for a terminal. Output of programs, tools and servers must not move the cursor, set the window
 * title, fill the clipboard or change the text direction.
 */
export function forTerminal(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, escaped);
}

/** Line breaks, tabs and the marks of the text direction that `forTerminal` keeps. */
const IN_LINE = /[\t\n\u0085\u061c\u200e\u200f\u2028\u2029]/g;

/** Returns text of others as a part of one line: it cannot start a line that looks like one of Toolwright. */
export function asLine(text: string): string {
  return text
    .replace(CONTROLS, escaped)
    .replace(IN_LINE, (character) => (character === '\n' ? '\\n' : character === '\t' ? '\\t' : escaped(character)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
