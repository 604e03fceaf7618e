import { hash, type KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;
const SHORT_TEXT_BYTES = 4_096;
/** The most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

/**
 * Returns a function that computes HMAC-SHA256 (RFC 2104), as base64url. `createHmac` makes an object for each text, which costs
 * twice as much for short texts. The key has at most 64 bytes.
 */
export function keyedHash(key: KeyObject): (text: string) => string {
  const bytes = key.export();
  const inner = padded(bytes, INNER, SHORT_TEXT_BYTES);
  const outer = padded(bytes, OUTER, HASH_BYTES);
  return (text) => {
    const isShort = text.length * UNIT_BYTES <= SHORT_TEXT_BYTES;
    const message = isShort ? inner : padded(bytes, INNER, Buffer.byteLength(text));
    const end = BLOCK_BYTES + message.write(text, BLOCK_BYTES);
    hash('sha256', message.subarray(0, end), 'buffer').copy(outer, BLOCK_BYTES);
    return hash('sha256', outer, 'base64url');
  };
}

/** Returns a block with the key, mixed with `pad`, before space for `more` bytes. */
function padded(key: Buffer, pad: number, more: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES + more, pad);
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
  return block;
}
