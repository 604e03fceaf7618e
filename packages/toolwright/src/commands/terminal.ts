// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them to escape them
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes control characters for a terminal. Output of programs, tools and servers must not move the cursor, set the window
 * title, fill the clipboard or change the text direction.
 */
export function forTerminal(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
