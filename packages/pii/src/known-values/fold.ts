/** Stands for characters that a folded text omits: invisible ones, and marks on the letter before. */
export const IGNORED = 0;
/** Stands for a cut in a view. No pattern contains it. */
export const BREAK = 0xffff;

const MARKS = /^\p{M}$/u;
const INVISIBLE = /^[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]$/;

const table = new Uint16Array(0x10000);
/** One for each block of 256 units that is in the table. Most texts need one or two of them. */
const isFilled = new Uint8Array(0x100);

/** Returns a UTF-16 unit without case, accent and width, or `IGNORED` for an omitted one. */
export function foldUnit(code: number): number {
  if (isFilled[code >> 8] === 0) fill(code >> 8);
  return table[code] ?? code;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII without the zero, which is folded to another unit
const ASCII = /^[\x01-\x7f]*$/;

/** Returns whether the folded text and its folded UTF-8 bytes are the text in lower case. */
export function isPlainAscii(text: string): boolean {
  return ASCII.test(text);
}

/** Returns a text with every unit folded. */
export function foldText(text: string): string {
  if (isPlainAscii(text)) return text.toLowerCase();
  let folded = '';
  for (let at = 0; at < text.length; at++) {
    const code = foldUnit(text.charCodeAt(at));
    if (code !== IGNORED) folded += String.fromCharCode(code);
  }
  return folded;
}

/** Returns a folded byte of an encoded text. No byte is omitted: the bytes next to it would become neighbours. */
export function foldByte(byte: number): number {
  return foldUnit(byte) || byte;
}

/** Returns the UTF-8 bytes of a text, each folded. */
export function foldBytes(text: string): string {
  return String.fromCharCode(...Array.from(Buffer.from(text), foldByte));
}

function fill(block: number): void {
  for (let code = block << 8; code < (block + 1) << 8; code++) table[code] = foldOne(code);
  isFilled[block] = 1;
}

function foldOne(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code || BREAK;
  if (code >= 0xd800 && code <= 0xdfff) return code;
  const character = String.fromCharCode(code);
  if (INVISIBLE.test(character) || MARKS.test(character)) return IGNORED;
  return character.normalize('NFKD').toLowerCase().charCodeAt(0);
}
