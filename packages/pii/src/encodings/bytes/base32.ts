const LETTERS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
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
  const letters = Math.ceil((bytes.length * 8) / 5);
  const groups = Math.ceil(bytes.length / BYTES_OF_GROUP);
  const written = Buffer.alloc(isPadded ? groups * CHARACTERS_OF_GROUP : letters, '=');
  let bits = 0;
  let size = 0;
  let at = 0;
  for (let letter = 0; letter < letters; letter++) {
    if (size < 5) {
      bits = ((bits << 8) | (bytes[at++] ?? 0)) & 0xfff;
      size += 8;
    }
    size -= 5;
    written[letter] = LETTERS[(bits >> size) & 31] ?? 0;
  }
  return written.toString('latin1');
}

/** Returns the value of a character of base32, or -1. */
export function base32Value(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  return code >= 50 && code <= 55 ? code - 24 : -1;
}
