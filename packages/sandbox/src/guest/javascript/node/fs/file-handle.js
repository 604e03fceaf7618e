// The file handles of `node:fs/promises`.
import { Buffer } from 'node:buffer';
import { run } from './drivers.js';
import { operations } from './operations.js';
import { bytesOf, Stats } from './values.js';

const BUFFER_BYTES = 16_384;
/** The first descriptor: 0 to 2 are the streams of a process. */
let nextDescriptor = 3;

/**
 * Returns the place in a buffer that `read` fills: `read(buffer, offset, length, position)`, or `read(buffer, options)`.
 * @param {any} given @param {any[]} rest
 */
export function placeOf(given, ...rest) {
  const isBuffer = ArrayBuffer.isView(given);
  const options = isBuffer ? (typeof rest[0] === 'object' && rest[0] !== null ? rest[0] : undefined) : (given ?? {});
  const buffer = isBuffer ? given : (options.buffer ?? Buffer.alloc(BUFFER_BYTES));
  const [offset, length, position] = options === undefined ? rest : [options.offset, options.length, options.position];
  const start = offset ?? 0;
  return { buffer, offset: start, length: length ?? buffer.byteLength - start, position: position ?? null };
}

/** Returns the written bytes and their position: of a text, or of a part of a buffer. @param {any} data @param {any[]} rest */
export function writtenOf(data, ...rest) {
  if (typeof data === 'string') return { bytes: bytesOf(data, rest[1]), position: rest[0] ?? null };
  const whole = bytesOf(data);
  const options = typeof rest[0] === 'object' && rest[0] !== null ? rest[0] : undefined;
  const [offset, length, position] = options === undefined ? rest : [options.offset, options.length, options.position];
  const start = offset ?? 0;
  return { bytes: whole.subarray(start, start + (length ?? whole.length - start)), position: position ?? null };
}

/** An open file. */
export class FileHandle {
  #file;
  /** @param {import('./open-file.js').OpenFile} file */
  constructor(file) {
    this.#file = file;
    this.fd = nextDescriptor++;
  }

  /** The file of `readFile(handle)`. */
  get file() {
    return this.#file;
  }

  /** @param {any[]} given */
  async read(...given) {
    const { buffer, offset, length, position } = placeOf(.../** @type {[any, ...any[]]} */ (given));
    const bytes = await run(this.#file.read(length, position));
    new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(bytes, offset);
    return { bytesRead: bytes.length, buffer };
  }

  /** @param {any} data @param {any[]} rest */
  async write(data, ...rest) {
    const { bytes, position } = writtenOf(data, ...rest);
    return { bytesWritten: await run(this.#file.write(bytes, position)), buffer: data };
  }

  /** @param {any[]} buffers @param {number} [position] */
  async writev(buffers, position) {
    const bytes = Buffer.concat(buffers.map((buffer) => bytesOf(buffer)));
    return { bytesWritten: await run(this.#file.write(bytes, position)), buffers };
  }

  /** @param {any} [options] */
  readFile(options) {
    return run(operations.readFile(this.#file, options));
  }

  /** @param {any} data @param {any} [options] */
  writeFile(data, options) {
    return run(operations.writeFile(this.#file, data, options));
  }

  /** @param {any} data @param {any} [options] */
  appendFile(data, options) {
    return this.writeFile(data, options);
  }

  async stat() {
    return new Stats(await run(this.#file.stat()));
  }

  /** @param {number} [length] */
  async truncate(length) {
    await run(this.#file.truncate(length));
  }

  /** Each write is stored at once. */
  async sync() {
    this.#file.check('fsync');
  }

  async datasync() {
    this.#file.check('fdatasync');
  }

  /** @param {any} [options] */
  async *readLines({ encoding = 'utf8' } = {}) {
    let rest = '';
    const decoder = new TextDecoder(encoding);
    for (;;) {
      const bytes = await run(this.#file.read(BUFFER_BYTES));
      const lines = (rest + decoder.decode(bytes, { stream: bytes.length > 0 })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      yield* lines;
      if (bytes.length > 0) continue;
      if (rest !== '') yield rest;
      await this.close();
      return;
    }
  }

  /** @param {any} [options] */
  createReadStream(options) {
    return streams.read(this.#file.path, options);
  }

  /** @param {any} [options] */
  createWriteStream(options) {
    return streams.write(this.#file.path, { flags: this.#file.flags.appends ? 'a' : 'w', ...options });
  }

  async close() {
    this.#file.isClosed = true;
  }

  async [/** @type {any} */ (Symbol).asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close();
  }
}

/** The streams of `node:fs`, which import this file's modules. @type {{ read: (path: string, options?: any) => any, write: (path: string, options?: any) => any }} */
export const streams = {
  read: () => undefined,
  write: () => undefined,
};
