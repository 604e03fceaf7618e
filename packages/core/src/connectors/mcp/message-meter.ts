const MIB = 1024 * 1024;

/** Bytes of one message from a server. */
export const MAX_MESSAGE_BYTES: number = 64 * MIB;
/** Values of one message, those in values included: each takes about 60 bytes here, and all of them a second at most. */
export const MAX_MESSAGE_VALUES = 1_000_000;
/** Nesting of one message. What is nested some thousand times cannot be written down again. */
export const MAX_MESSAGE_DEPTH = 1_000;

const [NEWLINE, QUOTE, COMMA, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Measures a message in JSON while it comes, before anything is built from it. */
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

  /** Takes the next bytes of the message. Throws a RangeError that says what of it is too much. */
  push(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) throw new RangeError(`a message of more than ${this.#maxBytes / MIB} MiB`);
    for (let index = 0; index < bytes.length; index++) this.#take(bytes[index] ?? 0);
    if (this.#values > MAX_MESSAGE_VALUES) {
      throw new RangeError(`a message that holds more than ${MAX_MESSAGE_VALUES / 1e6} million values`);
    }
  }

  /** The message has ended: what comes next belongs to another one. */
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
      // JSON has no newline in a string: this was none.
      else if (code === QUOTE || code === NEWLINE) this.#inString = false;
    } else if (code === QUOTE) this.#inString = true;
    else if (code === COMMA) this.#values++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) this.#level--;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      this.#values++;
      if (++this.#level > MAX_MESSAGE_DEPTH) {
        throw new RangeError(`a message that nests deeper than ${MAX_MESSAGE_DEPTH} levels`);
      }
    }
  }
}
