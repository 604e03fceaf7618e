// The global `fs`: the API of `node:fs`, for the files that the host provides.

/** @typedef {(operation: string, ...parameters: unknown[]) => Promise<any>} Ask */
/** @typedef {(operation: string, ...parameters: unknown[]) => any} AskNow */
/** @typedef {() => { toBase64(bytes: Uint8Array): string, fromBase64(text: string): Uint8Array }} Extras */
/** @typedef {{ request: [operation: string, ...parameters: unknown[]], answer?: (given: any) => unknown }} Operation */

const PART = Symbol.for('toolwright.part');

/**
 * Creates the `fs` object.
 * @param {Ask} ask
 * @param {Extras} extras
 * @param {AskNow} askNow
 */
export function createFiles(ask, extras, askNow) {
  const operations = operationsOf(extras);
  const own = promised(operations, ask);
  const fs = { ...own, exists: (/** @type {string} */ path) => found(own.stat?.(path)) };
  const all = { ...fs, ...synchronous(operations, askNow), promises: Object.freeze(fs) };
  // For `node:fs`: a part of a file from a position of the host on, and the position after it.
  const partOf = (/** @type {{ data: string, next: number | null }} */ { data, next }) => ({
    bytes: extras().fromBase64(data),
    next,
  });
  Object.defineProperty(all, PART, {
    value: {
      later: async (/** @type {string} */ path, /** @type {number} */ start) =>
        partOf(await ask('fs.readPart', path, start)),
      now: (/** @type {string} */ path, /** @type {number} */ start) => partOf(askNow('fs.readPart', path, start)),
    },
  });
  return Object.freeze(all);
}

/**
 * Returns the request of each function and the value of its answer.
 * @param {Extras} extras
 * @returns {Record<string, (...args: any[]) => Operation>}
 */
function operationsOf(extras) {
  /** @param {string} name @param {string} path @param {unknown} data @param {any} options */
  const writing = (name, path, data, options) =>
    isText(data)
      ? { request: /** @type {Operation['request']} */ ([`fs.${name}Text`, path, data, ...encodingOf(options)]) }
      : { request: /** @type {Operation['request']} */ ([`fs.${name}Bytes`, path, extras().toBase64(bytesOf(data))]) };
  return {
    readFile(path, options) {
      // Without an encoding, a file is text: a program that wants bytes passes null.
      const isBytes = options === null || options?.encoding === null;
      if (isBytes) return { request: ['fs.readBytes', path], answer: (text) => extras().fromBase64(text) };
      return { request: ['fs.readText', path, ...encodingOf(options)] };
    },
    writeFile: (path, data, options) => writing(options?.flag === 'a' ? 'append' : 'write', path, data, options),
    appendFile: (path, data, options) => writing('append', path, data, options),
    readdir: (path, options) => ({
      request: ['fs.list', path, options?.recursive === true],
      answer: (entries) => entries.map(options?.withFileTypes ? entryOf : nameOf),
    }),
    stat: (path) => ({ request: ['fs.stat', path], answer: statsOf }),
    access: (path) => ({ request: ['fs.stat', path], answer: () => undefined }),
    mkdir: (path, options) => ({ request: ['fs.mkdir', path, options?.recursive === true] }),
    rm: (path, options) => ({ request: ['fs.remove', path, options?.recursive === true, options?.force === true] }),
    unlink: (path) => ({ request: ['fs.remove', path, false, false] }),
    rmdir: (path) => ({ request: ['fs.removeFolder', path] }),
    rename: (from, to) => ({ request: ['fs.rename', from, to] }),
    copyFile: (from, to) => ({ request: ['fs.copy', from, to] }),
  };
}

/** @param {ReturnType<typeof operationsOf>} operations @param {Ask} ask @returns {Record<string, (...args: any[]) => any>} */
function promised(operations, ask) {
  const functions = Object.entries(operations).map(([name, operationOf]) => {
    const run = async (/** @type {any[]} */ ...args) => {
      const { request, answer = same } = operationOf(...args);
      return answer(await ask(...request));
    };
    const call = (/** @type {any[]} */ ...args) => {
      const callback = args.at(-1);
      if (typeof callback !== 'function') return run(...args);
      // The form of `node:fs`.
      run(...args.slice(0, -1)).then((value) => callback(null, value), callback);
      return undefined;
    };
    return [name, call];
  });
  return Object.fromEntries(functions);
}

/** @param {ReturnType<typeof operationsOf>} operations @param {AskNow} askNow @returns {Record<string, (...args: any[]) => any>} */
function synchronous(operations, askNow) {
  const functions = Object.entries(operations).map(([name, operationOf]) => [
    `${name}Sync`,
    (/** @type {any[]} */ ...args) => {
      const { request, answer = same } = operationOf(...args);
      return answer(askNow(...request));
    },
  ]);
  const all = Object.fromEntries(functions);
  return {
    ...all,
    /** As in Node, it returns bytes without an encoding. @param {string} path @param {any} [options] */
    readFileSync(path, options) {
      const encoding = typeof options === 'string' ? options : options?.encoding;
      return encoding ? all.readFileSync(path, encoding) : globalThis.Buffer.from(all.readFileSync(path, null));
    },
    /** @param {string} path */
    existsSync(path) {
      try {
        return Boolean(all.statSync(path));
      } catch {
        return false;
      }
    },
  };
}

/** @param {any} value */
function same(value) {
  return value;
}

/** @param {Promise<unknown>} looked */
function found(looked) {
  return looked.then(
    () => true,
    () => false,
  );
}

/** @param {{ name: string }} entry */
function nameOf({ name }) {
  return name;
}

/** @param {{ name: string, kind: string }} entry */
function entryOf({ name, kind }) {
  return { name, isFile: () => kind === 'file', isDirectory: () => kind === 'directory' };
}

/** @param {{ kind: string, size: number, mtimeMs: number }} stats */
function statsOf({ kind, size, mtimeMs }) {
  return {
    ...{ size, mtimeMs, mtime: new Date(mtimeMs) },
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'directory',
  };
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
