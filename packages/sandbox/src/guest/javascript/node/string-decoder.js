// `node:string_decoder` for engines that lack it.
import { Buffer } from 'node:buffer';

/** @param {Uint8Array} bytes the number of last bytes that begin an incomplete character of UTF-8 */
function openBytes(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = /** @type {number} */ (bytes[bytes.length - back]);
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Decodes pieces of text whose characters may be split. */
export class StringDecoder {
  #held = Buffer.alloc(0);

  /** @param {any} [encoding] */
  constructor(encoding = 'utf8') {
    if (!Buffer.isEncoding(encoding))
      throw Object.assign(new TypeError(`Unknown encoding: ${encoding}`), { code: 'ERR_UNKNOWN_ENCODING' });
    this.encoding = /** @type {any} */ (
      String(encoding)
        .toLowerCase()
        .replace('utf-8', 'utf8')
        .replace(/^(ucs-?2|utf-16le)$/, 'utf16le')
    );
  }
  /** @param {any} piece */
  write(piece) {
    if (typeof piece === 'string') return piece;
    const bytes = Buffer.concat([this.#held, Buffer.from(piece)]);
    const open = this.#open(bytes);
    this.#held = bytes.subarray(bytes.length - open);
    return bytes.subarray(0, bytes.length - open).toString(this.encoding);
  }
  /** @param {any} [piece] */
  end(piece) {
    const text = piece === undefined ? '' : this.write(piece);
    const rest = this.#held.length > 0 ? this.#held.toString(this.encoding) : '';
    this.#held = Buffer.alloc(0);
    return text + rest;
  }
  /** @param {Uint8Array} bytes */
  #open(bytes) {
    if (this.encoding === 'utf8') return openBytes(bytes);
    if (this.encoding === 'base64' || this.encoding === 'base64url') return bytes.length % 3;
    if (this.encoding !== 'utf16le') return 0;
    const odd = bytes.length % 2;
    const last = bytes[bytes.length - odd - 1] ?? 0;
    return last >= 0xd8 && last <= 0xdb ? odd + 2 : odd;
  }
}

export default { StringDecoder };
