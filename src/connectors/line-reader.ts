const NEWLINE = 0x0a;

/** Cuts a byte stream into lines and holds no more than one unfinished line of `maxBytes`. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (line: string) => void, maxBytes: number) {
    this.#onLine = onLine;
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes. Throws a RangeError when a line grows beyond the maximum; the reader is of no use then. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      this.#bytes = 0;
      this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    this.#hold(chunk.subarray(start));
  }

  #hold(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) {
      this.#chunks = [];
      throw new RangeError(`a line of more than ${this.#maxBytes} bytes`);
    }
    if (bytes.length > 0) this.#chunks.push(bytes);
  }
}
