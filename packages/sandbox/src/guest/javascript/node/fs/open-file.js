// Open files: ranges are read in parts of the host, and each write is stored at once.
import { Buffer } from 'node:buffer';
import { argumentError, systemError } from './values.js';

/** @typedef {Generator<any[], any, any>} Steps a function whose steps are requests: `['stat', path]` */

const MIN_CAPACITY = 4096;
/** The requests that change files. Parts that were read before are read again after one. */
let changes = 0;

export function noteChange() {
  changes++;
}

/** What the flags of `open` mean. @type {Record<string, { reads?: boolean, writes?: boolean, appends?: boolean, creates?: boolean, isNew?: boolean, empties?: boolean }>} */
const FLAGS = {
  r: { reads: true },
  'r+': { reads: true, writes: true },
  w: { writes: true, creates: true, empties: true },
  'w+': { reads: true, writes: true, creates: true, empties: true },
  a: { writes: true, creates: true, appends: true },
  'a+': { reads: true, writes: true, creates: true, appends: true },
};

/** @param {any} flags */
function flagsOf(flags) {
  const text = String(flags).replace('s', '');
  const isNew = text.includes('x');
  const meaning = FLAGS[text.replace('x', '')];
  if (meaning === undefined || typeof flags !== 'string') {
    throw argumentError(
      'ERR_INVALID_ARG_VALUE',
      `The argument 'flags' is invalid. Received ${flags}. Use r, r+, w, w+, a or a+.`,
    );
  }
  return { ...meaning, isNew };
}

/** A file that is open. Its methods are steps. */
export class OpenFile {
  /** @param {string} path @param {ReturnType<typeof flagsOf>} flags */
  constructor(path, flags) {
    this.path = path;
    this.flags = flags;
    this.position = 0;
    this.isClosed = false;
    /** The content of a file that is written, with space for more. @type {any} */
    this.content = undefined;
    this.length = 0;
    /** Where the parts of a file that is only read start: in the content, and for the host. @type {{ at: number, from: number }[]} */
    this.parts = [{ at: 0, from: 0 }];
    /** The last part. @type {{ at: number, bytes: any, next: number | null, changes: number } | undefined} */
    this.part = undefined;
  }

  /** @param {string} syscall */
  check(syscall) {
    if (this.isClosed) throw systemError('EBADF', syscall);
  }

  /** @param {number} length @param {number | null} [position] @returns {Steps} */
  *read(length, position) {
    this.check('read');
    if (!this.flags.reads) throw systemError('EBADF', 'read');
    const at = typeof position === 'number' && position >= 0 ? position : this.position;
    const bytes =
      this.content === undefined
        ? yield* this.range(at, length)
        : this.content.subarray(at, Math.min(at + length, this.length));
    if (at === this.position && typeof position !== 'number') this.position += bytes.length;
    return bytes;
  }

  /** Reads at most the rest of one part. @param {number} start @param {number} length @returns {Steps} */
  *range(start, length) {
    const pieces = [];
    let wanted = length;
    for (let at = start; wanted > 0; ) {
      const part = yield* this.partAt(at);
      const piece = part.bytes.subarray(at - part.at, at - part.at + wanted);
      if (piece.length === 0) break;
      pieces.push(piece);
      at += piece.length;
      wanted -= piece.length;
    }
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
  }

  /** Returns the part with a position, or the last one. @param {number} position @returns {Steps} */
  *partAt(position) {
    if (this.part !== undefined && this.part.changes !== changes)
      [this.part, this.parts] = [undefined, [{ at: 0, from: 0 }]];
    for (;;) {
      const { part } = this;
      const isBehind = part !== undefined && position >= part.at + part.bytes.length;
      if (part !== undefined && position >= part.at && (!isBehind || part.next === null)) return part;
      const start = isBehind
        ? { at: part.at + part.bytes.length, from: part.next ?? 0 }
        : this.parts.findLast(({ at }) => at <= position);
      const { at, from } = start ?? { at: 0, from: 0 };
      const { bytes, next } = yield ['part', this.path, from];
      this.part = { at, bytes: Buffer.from(bytes), next, changes };
      if (at > (this.parts.at(-1)?.at ?? 0)) this.parts.push({ at, from });
    }
  }

  /** @param {Uint8Array} bytes @param {number | null} [position] @returns {Steps} */
  *write(bytes, position) {
    this.check('write');
    if (!this.flags.writes) throw systemError('EBADF', 'write');
    noteChange();
    if (this.flags.appends) {
      yield ['appendFile', this.path, bytes];
      if (this.content !== undefined) this.put(bytes, this.length);
      return bytes.length;
    }
    const at = typeof position === 'number' && position >= 0 ? position : this.position;
    const isAtEnd = at === this.length;
    this.put(bytes, at);
    if (typeof position !== 'number') this.position = at + bytes.length;
    yield isAtEnd ? ['appendFile', this.path, bytes] : ['writeFile', this.path, this.content.subarray(0, this.length)];
    return bytes.length;
  }

  /** Changes the content that is held. @param {Uint8Array} bytes @param {number} at */
  put(bytes, at) {
    const end = at + bytes.length;
    if (end > this.content.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * this.content.length, MIN_CAPACITY));
      larger.set(this.content.subarray(0, this.length));
      this.content = larger;
    }
    if (at > this.length) this.content.fill(0, this.length, at);
    this.content.set(bytes, at);
    this.length = Math.max(this.length, end);
  }

  /** @param {number} [length] @returns {Steps} */
  *truncate(length = 0) {
    this.check('ftruncate');
    if (!this.flags.writes) throw systemError('EINVAL', 'ftruncate');
    noteChange();
    if (this.content === undefined) yield* this.load();
    if (length > this.length) this.put(new Uint8Array(length - this.length), this.length);
    this.length = length;
    yield ['writeFile', this.path, this.content.subarray(0, length)];
  }

  /** @returns {Steps} */
  *load() {
    const content = Buffer.from(yield ['readFile', this.path, null]);
    [this.content, this.length] = [content, content.length];
  }

  /** @returns {Steps} */
  *stat() {
    this.check('fstat');
    return yield ['stat', this.path];
  }

  /** Reads from the position of the file to its end. @returns {Steps} */
  *rest() {
    const pieces = [];
    for (;;) {
      const piece = yield* this.read(Number.MAX_SAFE_INTEGER);
      if (piece.length === 0) return Buffer.concat(pieces);
      pieces.push(piece);
    }
  }
}

/** Opens a file. @param {string} path @param {any} [flags] @returns {Steps} */
export function* openFile(path, flags = 'r') {
  const meaning = flagsOf(flags);
  /** @type {any} */
  let entry;
  try {
    entry = yield ['stat', path];
  } catch (error) {
    if (!meaning.creates || /** @type {any} */ (error).code !== 'ENOENT') throw error;
  }
  if (entry !== undefined && meaning.isNew) throw systemError('EEXIST', 'open', path);
  if (entry?.isDirectory() && meaning.writes) throw systemError('EISDIR', 'open', path);
  const file = new OpenFile(path, meaning);
  if (meaning.empties || entry === undefined) {
    noteChange();
    yield ['writeFile', path, new Uint8Array(0)];
    file.content = Buffer.alloc(0);
  } else if (meaning.writes && (meaning.reads || !meaning.appends)) yield* file.load();
  return file;
}
