const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BYTES_OF_GROUP = 5;
const CHARACTERS_OF_GROUP = 8;

/** Decodes base32 of RFC 4648 without its padding. */
export function fromBase32(characters: string): Buffer {
  const bytes = Buffer.alloc(Math.floor((characters.length * 5) / 8));
  let bits = 0;
  let size = 0;
  let length = 0;
  for (let at = 0; at < characters.length; at++) {
    bits = ((bits << 5) | base32Value(characters.charCodeAt(at))) & 0xfff;
    size += 5;
    if (size < 8) continue;
    size -= 8;
    bytes[length++] = (bits >> size) & 255;
  }
  return bytes;
}

/** Encodes base32 of RFC 4648, with padding on request. */
export function toBase32(bytes: Buffer, isPadded: boolean): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_OF_GROUP) {
    const group = bytes.subarray(at, at + BYTES_OF_GROUP);
    let bits = 0n;
    for (let index = 0; index < BYTES_OF_GROUP; index++) bits = (bits << 8n) | BigInt(group[index] ?? 0);
    const letters = Math.ceil((group.length * 8) / 5);
    for (let index = 0; index < letters; index++) {
      parts.push(ALPHABET.charAt(Number((bits >> BigInt(35 - 5 * index)) & 31n)));
    }
    if (isPadded) parts.push('='.repeat(CHARACTERS_OF_GROUP - letters));
  }
  return parts.join('');
}

/** Returns the value of a character of base32, or -1. */
export function base32Value(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  return code >= 50 && code <= 55 ? code - 24 : -1;
}
