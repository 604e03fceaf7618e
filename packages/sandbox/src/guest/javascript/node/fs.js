// `node:fs` and `node:fs/promises`: the global `fs`, and streams.
import { Buffer } from 'node:buffer';
import { Readable, Writable } from 'node:stream';

/** @type {any} */
const files = /** @type {any} */ (globalThis).fs;
const PIECE_BYTES = 65_536;
/** Bytes that a stream stores at once: a smaller file is written in one step. */
const STORED_BYTES = 1024 * 1024;
const PART = Symbol.for('toolwright.part');

/** @param {string} path @param {any} [options] */
export function createReadStream(path, options) {
  const settings = typeof options === 'string' ? { encoding: options } : (options ?? {});
  const { encoding, start = 0, end = Number.POSITIVE_INFINITY, highWaterMark = PIECE_BYTES } = settings;
  async function* pieces() {
    /** @type {number | null} */
    let next = 0;
    let before = 0;
    while (next !== null && before <= end) {
      /** @type {{ bytes: Uint8Array, next: number | null }} */
      const part = await files[PART](path, next);
      const bytes = Buffer.from(part.bytes);
      const wanted = bytes.subarray(Math.max(0, start - before), end - before + 1);
      for (let at = 0; at < wanted.length; at += highWaterMark) yield wanted.subarray(at, at + highWaterMark);
      before += bytes.length;
      next = part.next;
    }
  }
  const stream = Readable.from(pieces(), { objectMode: false, highWaterMark });
  if (encoding) stream.setEncoding(encoding);
  return Object.assign(stream, { path });
}

/** @param {string} path @param {any} [options] */
export function createWriteStream(path, options) {
  const settings = typeof options === 'string' ? { encoding: options } : (options ?? {});
  /** @type {Uint8Array[]} */
  let pieces = [];
  let held = 0;
  const appends = settings.flags?.startsWith('a') === true;
  // Until its end, a larger file has another name: a program that is killed leaves whole files.
  const unfinished = `${path}.part`;
  let isBegun = false;
  const store = async (/** @type {string} */ target) => {
    const data = Buffer.concat(pieces);
    [pieces, held] = [[], 0];
    await (appends || isBegun ? files.appendFile : files.writeFile)(target, data);
    isBegun = true;
  };
  const finish = async () => {
    const isWhole = appends || !isBegun;
    await store(isWhole ? path : unfinished);
    if (!isWhole) await files.rename(unfinished, path);
  };
  const stream = new Writable({
    defaultEncoding: settings.encoding ?? 'utf8',
    write(piece, _encoding, done) {
      pieces.push(Buffer.from(piece));
      held += piece.length;
      if (held < STORED_BYTES) done();
      else store(appends ? path : unfinished).then(() => done(), done);
    },
    final(done) {
      finish().then(() => done(), done);
    },
  });
  return Object.assign(stream, { path });
}

export const constants = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1 };
export const {
  readFile,
  writeFile,
  appendFile,
  readdir,
  stat,
  exists,
  access,
  mkdir,
  rm,
  unlink,
  rmdir,
  rename,
  copyFile,
  readFileSync,
  writeFileSync,
  appendFileSync,
  readdirSync,
  statSync,
  existsSync,
  accessSync,
  mkdirSync,
  rmSync,
  unlinkSync,
  rmdirSync,
  renameSync,
  copyFileSync,
  promises,
} = files;
export default { ...files, createReadStream, createWriteStream, constants };
