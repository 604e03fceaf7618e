/** A part of a text. Escapes stand for characters that a reader could not see, or that would reorder or hide others. */
export interface TextPart {
  readonly text: string;
  readonly isEscape: boolean;
}

/** Control characters, invisible characters, and those that change the direction of text: the first and last of each range. */
const HIDDEN: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
];
const hidden = HIDDEN.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('');
/** Whole escape sequences of terminals: one mark instead of their characters one by one. */
const ESCAPES = new RegExp(
  `(?:\\x1b\\[[0-?]*[ -\\/]*[@-~]|\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?|[${hidden}])`,
  'gu',
);

/** Splits a text into plain parts and escapes, such as `\x1b[31m` and `\u202e`. */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ESCAPES)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isEscape: false });
    parts.push({ text: Array.from(match[0], escaped).join(''), isEscape: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isEscape: false });
  return parts;
}

/** Returns the text with its hidden characters as escapes: for titles, names of files and other places without markup. */
export function visibleText(text: string, limit = 200): string {
  const { shown, rest } = cutText(text, limit);
  const plain = visibleParts(shown)
    .map((part) => part.text)
    .join('');
  return rest === 0 ? plain : `${plain}…`;
}

/** Cuts a text to a number of characters, between characters. `rest` is the number of those that are left out. */
export function cutText(text: string, limit: number): { readonly shown: string; readonly rest: number } {
  if (text.length <= limit) return { shown: text, rest: 0 };
  const isHalf = /[\ud800-\udbff]$/.test(text.slice(0, limit));
  const end = isHalf ? limit - 1 : limit;
  return { shown: text.slice(0, end), rest: text.length - end };
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character.length === 1 && code > 31 && code < 127) return character;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
