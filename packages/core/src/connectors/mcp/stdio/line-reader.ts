import { MessageMeter } from '../message-meter.ts';

const NEWLINE = 0x0a;
/** Bytes of the buffer that is kept between two lines. */
const KEPT_BYTES = 64 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/** Splits a byte stream into lines. Buffers at most one unfinished line. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #meter: MessageMeter;
  #held: Buffer = NOTHING;
  #length = 0;

  constructor(onLine: (line: string) => void, maxBytes?: number) {
    this.#onLine = onLine;
    this.#meter = new MessageMeter(maxBytes);
  }

  /** Adds the next bytes. Throws a `RangeError` when a line exceeds the limits of a message; the reader is unusable then. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#finish(chunk.subarray(start, end));
      start = end + 1;
      this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    const rest = chunk.subarray(start);
    this.#meter.push(rest);
    this.#hold(rest);
  }

  #finish(last: Buffer): string {
    this.#meter.push(last);
    this.#meter.reset();
    if (this.#length === 0) return last.toString('utf8');
    this.#hold(last);
    const line = this.#held.toString('utf8', 0, this.#length);
    this.#length = 0;
    if (this.#held.length > KEPT_BYTES) this.#held = NOTHING;
    return line;
  }

  #hold(bytes: Buffer): void {
    const needed = this.#length + bytes.length;
    // Twice the necessary size, so that a line in many small pieces is not copied for each piece.
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(2 * needed);
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    this.#length += bytes.copy(this.#held, this.#length);
  }
}
