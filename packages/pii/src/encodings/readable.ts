import { isUtf8 } from 'node:buffer';

/** Control characters that no text has: all but tab, line feed and carriage return. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** How bytes are read as a text. */
export type Charset = 'utf8' | 'utf16le';

/** Returns the text of bytes, and how it was read; undefined for bytes that are no text. */
export function readableText(bytes: Buffer): { readonly text: string; readonly charset: Charset } | undefined {
  if (isUtf8(bytes)) {
    const text = bytes.toString();
    if (!CONTROL.test(text)) return { text, charset: 'utf8' };
  }
  // In UTF-16, every second byte of most texts is zero.
  if (bytes.length % 2 !== 0 || bytes[1] !== 0) return undefined;
  const text = bytes.toString('utf16le');
  return CONTROL.test(text) ? undefined : { text, charset: 'utf16le' };
}
