// The global `fs`: the API of `node:fs/promises`, for the files that the host provides.

/** @typedef {(operation: string, ...parameters: unknown[]) => Promise<any>} Ask */

/**
 * Creates the `fs` object.
 * @param {Ask} ask
 * @param {() => { toBase64(bytes: Uint8Array): string, fromBase64(text: string): Uint8Array }} extras
 */
export function createFiles(ask, extras) {
  const fs = {
    /** @param {string} path @param {any} [options] */
    async readFile(path, options) {
      // Without an encoding, a file is text: a program that wants bytes passes null.
      const isBytes = options === null || options?.encoding === null;
      if (isBytes) return extras().fromBase64(await ask('fs.readBytes', path));
      return ask('fs.readText', path, ...encodingOf(options));
    },
    /** @param {string} path @param {unknown} data @param {any} [options] */
    async writeFile(path, data, options) {
      if (isText(data)) return ask('fs.writeText', path, data, ...encodingOf(options));
      return ask('fs.writeBytes', path, extras().toBase64(bytesOf(data)));
    },
    /** @param {string} path @param {unknown} data @param {any} [options] */
    async appendFile(path, data, options) {
      if (isText(data)) return ask('fs.appendText', path, data, ...encodingOf(options));
      return ask('fs.appendBytes', path, extras().toBase64(bytesOf(data)));
    },
    /** @param {string} path @param {any} [options] */
    async readdir(path, options) {
      const entries = await ask('fs.list', path, options?.recursive === true);
      if (!options?.withFileTypes) return entries.map((/** @type {{ name: string }} */ entry) => entry.name);
      return entries.map((/** @type {{ name: string, kind: string }} */ entry) => ({
        name: entry.name,
        isFile: () => entry.kind === 'file',
        isDirectory: () => entry.kind === 'directory',
      }));
    },
    /** @param {string} path */
    async stat(path) {
      const { kind, size, mtimeMs } = await ask('fs.stat', path);
      return {
        size,
        mtimeMs,
        mtime: new Date(mtimeMs),
        isFile: () => kind === 'file',
        isDirectory: () => kind === 'directory',
      };
    },
    /** @param {string} path */
    exists: (path) =>
      fs.stat(path).then(
        () => true,
        () => false,
      ),
    /** @param {string} path */
    access: (path) => ask('fs.stat', path).then(() => undefined),
    /** @param {string} path @param {any} [options] */
    mkdir: (path, options) => ask('fs.mkdir', path, options?.recursive === true),
    /** @param {string} path @param {any} [options] */
    rm: (path, options) => ask('fs.remove', path, options?.recursive === true, options?.force === true),
    /** @param {string} path */
    unlink: (path) => ask('fs.remove', path, false, false),
    /** @param {string} path */
    rmdir: (path) => ask('fs.removeFolder', path),
    /** @param {string} from @param {string} to */
    rename: (from, to) => ask('fs.rename', from, to),
    /** @param {string} from @param {string} to */
    copyFile: (from, to) => ask('fs.copy', from, to),
  };
  return Object.freeze({ ...fs, promises: Object.freeze(fs) });
}

/** @param {unknown} data */
function isText(data) {
  return typeof data === 'string' || data instanceof String;
}

/**
 * Returns the encoding of `'hex'` or `{ encoding: 'hex' }` as the parameter of a request; none for UTF-8. The host knows the names.
 * @param {any} options
 * @returns {unknown[]}
 */
function encodingOf(options) {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  return encoding === undefined || encoding === null || encoding === 'utf8' || encoding === 'utf-8' ? [] : [encoding];
}

/**
 * @param {unknown} data
 * @returns {Uint8Array}
 */
function bytesOf(data) {
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError('A file takes a string or bytes (Uint8Array). Use JSON.stringify(value) to write data.');
}
