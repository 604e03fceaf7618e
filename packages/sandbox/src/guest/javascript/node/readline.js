// `node:readline`: the lines of a stream, such as `fs.createReadStream(path)`.
import { EventEmitter } from 'node:events';
import { StringDecoder } from 'node:string_decoder';

/** The lines of an input. */
export class Interface extends EventEmitter {
  #closed = false;
  /** @type {AsyncIterable<any>} */
  #input;
  #isRead = false;

  /** @param {any} options an object with `input`, or the input */
  constructor(options) {
    super();
    const input = options?.input ?? options;
    if (typeof input?.[Symbol.asyncIterator] !== 'function' && typeof input?.[Symbol.iterator] !== 'function')
      throw new TypeError(
        'readline takes a stream as its input: { input: fs.createReadStream(path) }. A program has no standard input.',
      );
    this.#input = input;
    queueMicrotask(() => this.#emitLines());
  }
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.emit('close');
  }
  question() {
    throw new Error('A program has no standard input: pass the answers as constants, or call a tool that asks.');
  }
  async #emitLines() {
    // The iterator reads, if the program has asked for it.
    if (this.#isRead) return;
    this.#isRead = true;
    try {
      for await (const line of linesOf(this.#input)) {
        if (this.#closed) break;
        this.emit('line', line);
      }
      this.close();
    } catch (error) {
      this.emit('error', error);
    }
  }
  async *[Symbol.asyncIterator]() {
    this.#isRead = true;
    for await (const line of linesOf(this.#input)) {
      if (this.#closed) return;
      yield line;
    }
    this.close();
  }
}

/** @param {AsyncIterable<any>} input */
async function* linesOf(input) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isAfterReturn = false;
  for await (const piece of input) {
    let text = rest + decoder.write(piece);
    if (isAfterReturn && text.startsWith('\n')) text = text.slice(1);
    isAfterReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    rest = /** @type {string} */ (lines.pop());
    yield* lines;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

/** @param {any} options @param {any[]} rest */
export const createInterface = (options, ...rest) => new Interface(rest.length > 0 ? { input: options } : options);
export const promises = { Interface, createInterface };
export default { Interface, createInterface, promises };
