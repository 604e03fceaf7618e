/** Control characters but tab and line break, marks and overrides of the text direction, and characters without a picture. */
const HIDDEN =
  '\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}';
/** Characters after which a joiner has a use: emoji, and scripts whose letters it joins or keeps apart. */
const JOINED = [
  '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f',
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu'],
  ...['Kannada', 'Malayalam', 'Sinhala'],
]
  .map((name) => (name.startsWith('\\') ? name : `\\p{Script=${name}}`))
  .join('');
const INVISIBLE = new RegExp(`[${HIDDEN}]|\\r(?!\\n)|(?<![${JOINED}])[\\u200c\\u200d]`, 'gu');

/**
 * Escapes the characters of a text that a reader cannot see. Some of them move the cursor, set the title of a window, fill the
 * clipboard or change the direction of text. An escape, such as `\u001b`, has the form of JSON, so a line of JSON keeps its meaning.
 */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

function escaped(characters: string): string {
  return Array.from({ length: characters.length }, (_, index) => {
    return `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
