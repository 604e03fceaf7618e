import { isUtf8 } from 'node:buffer';
import type { Escaping } from './escape-style.ts';

const SEQUENCE = /=([0-9A-F]{2})/g;
const byteOf = (byte: number) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
const encodeBytes = (isPlain: (character: string) => boolean) => (text: string) =>
  Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 127 && isPlain(character) ? character : byteOf(byte);
  }).join('');

/** Returns the bytes of quoted-printable as text, or undefined if they are not UTF-8. */
function decode(encoded: string): string | undefined {
  if (/=(?![0-9A-F]{2})/.test(encoded)) return undefined;
  const binary = Buffer.from(encoded).toString('latin1');
  const bytes = Buffer.from(
    binary.replaceAll(SEQUENCE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Quoted-printable with all printable characters plain, and with signs such as `@` encoded. */
export const QUOTED: Escaping = {
  sign: '=',
  decode,
  styles: [
    { open: '=5B', close: '=5D', encode: encodeBytes((character) => /[ -<>-~]/.test(character)) },
    { open: '=5B', close: ']', encode: encodeBytes((character) => /[A-Za-z0-9 .,'()+/:?_-]/.test(character)) },
    { open: '=5B', close: '=5D', isFull: true, encode: encodeBytes(() => false) },
  ],
};
