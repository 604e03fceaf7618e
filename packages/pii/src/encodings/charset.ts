import { isUtf8 } from 'node:buffer';

/** How bytes are read as text. */
export type Charset = 'utf8' | 'utf16le' | 'utf16be' | 'latin1';

/** Bytes that decide about UTF-16. */
const SAMPLE_BYTES = 64;
// biome-ignore lint/suspicious/noControlCharactersInRegex: binary data has them
const CONTROL = /[\0-\x08\x0b\x0e-\x1f]/;
const WIDE = /[^\0-\xff]/;

/** Returns the text of bytes and its charset, or undefined for binary data. Writing the text returns the same bytes. */
export function readBytes(bytes: Buffer): { readonly text: string; readonly charset: Charset } | undefined {
  const charset = charsetOf(bytes);
  if (charset === undefined) return undefined;
  const text = bytesAs(bytes, charset);
  return CONTROL.test(text) ? undefined : { text, charset };
}

/** Returns bytes as text, with a byte order mark. */
export function bytesAs(bytes: Buffer, charset: Charset): string {
  return charset === 'utf16be' ? Buffer.from(bytes).swap16().toString('utf16le') : bytes.toString(charset);
}

/** Returns the bytes of a text: UTF-8 if the charset has no bytes for it. */
export function toBytes(text: string, charset: Charset): Buffer {
  if (charset === 'latin1' && WIDE.test(text)) return Buffer.from(text);
  return charset === 'utf16be' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, charset);
}

/** Returns the position of the last byte that texts do not have, `-1` without one. A zero counts only next to two others. */
export function lastBinaryByte(bytes: Buffer): number {
  let zeros = 0;
  for (let at = bytes.length - 1; at >= 0; at--) {
    const byte = bytes[at] ?? 0;
    zeros = byte === 0 ? zeros + 1 : 0;
    const isControl = byte === 0x7f || (byte > 0 && byte < 0x20 && (byte < 9 || byte > 13 || byte === 11));
    if (isControl || zeros === 3) return at;
  }
  return -1;
}

function charsetOf(bytes: Buffer): Charset | undefined {
  if (bytes.length % 2 === 0) {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le';
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf16be';
    const zeros: [number, number] = [0, 0];
    const length = Math.min(bytes.length, SAMPLE_BYTES);
    for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2 === 0 ? 0 : 1]++;
    // Most characters of a Latin text have a zero as one of their two bytes.
    if (zeros[0] === 0 && zeros[1] * 4 > length) return 'utf16le';
    if (zeros[1] === 0 && zeros[0] * 4 > length) return 'utf16be';
  }
  return isUtf8(bytes) ? 'utf8' : isLatin(bytes) ? 'latin1' : undefined;
}

/** Checks for Western European text of one byte per character, mostly ASCII. */
function isLatin(bytes: Buffer): boolean {
  let high = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x7f) return false;
    if (byte >= 0x80 && ++high * 4 > bytes.length) return false;
  }
  return true;
}
