// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text for a terminal: what programs, tools and servers say cannot move its cursor, name its window, fill its clipboard
 * or turn the order of what is read.
 */
export function forTerminal(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
