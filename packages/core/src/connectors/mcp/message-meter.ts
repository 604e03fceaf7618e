const MIB = 1024 * 1024;

/** Maximum bytes of one message from a server. */
export const MAX_MESSAGE_BYTES: number = 64 * MIB;
/** Maximum values of one message, including nested values. Each takes about 60 bytes of memory. */
export const MAX_MESSAGE_VALUES = 1_000_000;
/** Maximum nesting of one message. A value with some thousand levels cannot be serialised again. */
export const MAX_MESSAGE_DEPTH = 1_000;

const [NEWLINE, QUOTE, COMMA, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Measures a JSON message while it arrives, before it is parsed. */
export class MessageMeter {
  readonly #maxBytes: number;
  #bytes = 0;
  #values = 0;
  #level = 0;
  #inString = false;
  #escaped = false;

  constructor(maxBytes: number = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the next bytes of the message. Throws a `RangeError` that names the exceeded limit. */
  push(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) throw new RangeError(`a message of more than ${this.#maxBytes / MIB} MiB`);
    for (let index = 0; index < bytes.length; index++) this.#take(bytes[index] ?? 0);
    if (this.#values > MAX_MESSAGE_VALUES) {
      throw new RangeError(`a message with more than ${MAX_MESSAGE_VALUES / 1e6} million values`);
    }
  }

  /** Starts the next message. */
  reset(): void {
    this.#bytes = 0;
    this.#values = 0;
    this.#level = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  #take(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      // A JSON string contains no newline, so this quote did not start a string.
      else if (code === QUOTE || code === NEWLINE) this.#inString = false;
    } else if (code === QUOTE) this.#inString = true;
    else if (code === COMMA) this.#values++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) this.#level--;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      this.#values++;
      if (++this.#level > MAX_MESSAGE_DEPTH) {
        throw new RangeError(`a message with more than ${MAX_MESSAGE_DEPTH} levels of nesting`);
      }
    }
  }
}
