// `node:fs` and `node:fs/promises`: the global `fs`, and streams.
import { Buffer } from 'node:buffer';
import { Readable, Writable } from 'node:stream';

/** @type {any} */
const files = /** @type {any} */ (globalThis).fs;
const PIECE_BYTES = 65_536;

/** @param {string} path @param {any} [options] */
export function createReadStream(path, options) {
  const settings = typeof options === 'string' ? { encoding: options } : (options ?? {});
  const { encoding, start = 0, end = Number.POSITIVE_INFINITY, highWaterMark = PIECE_BYTES } = settings;
  async function* pieces() {
    const bytes = Buffer.from(await files.readFile(path, null));
    const wanted = bytes.subarray(start, end + 1);
    for (let at = 0; at < wanted.length; at += highWaterMark) yield wanted.subarray(at, at + highWaterMark);
  }
  const stream = Readable.from(pieces(), { objectMode: false, highWaterMark });
  if (encoding) stream.setEncoding(encoding);
  return Object.assign(stream, { path });
}

/** @param {string} path @param {any} [options] */
export function createWriteStream(path, options) {
  const settings = typeof options === 'string' ? { encoding: options } : (options ?? {});
  /** @type {Uint8Array[]} */
  const pieces = [];
  const stream = new Writable({
    defaultEncoding: settings.encoding ?? 'utf8',
    write(piece, _encoding, done) {
      pieces.push(Buffer.from(piece));
      done();
    },
    final(done) {
      const store = settings.flags?.startsWith('a') ? files.appendFile : files.writeFile;
      store(path, Buffer.concat(pieces)).then(() => done(), done);
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
