// The modules of Node for the type check before a run, which also declares their names without `node:`. Their values may have any type:
// the check must not refuse what runs.
declare class ToolwrightClass {
  constructor(...values: Anything[]);
  static [member: string]: Anything;
  [member: string]: Anything;
}
declare module 'node:path' {
  const whole: Anything;
  export default whole;
  export const basename: Anything,
    delimiter: Anything,
    dirname: Anything,
    extname: Anything,
    format: Anything,
    isAbsolute: Anything,
    join: Anything,
    normalize: Anything,
    parse: Anything,
    posix: Anything,
    relative: Anything,
    resolve: Anything,
    sep: Anything,
    toNamespacedPath: Anything,
    win32: Anything;
}
declare module 'node:url' {
  const whole: Anything;
  export default whole;
  export class Url extends ToolwrightClass {}
  export const parse: Anything,
    format: Anything,
    resolve: Anything,
    domainToASCII: Anything,
    domainToUnicode: Anything,
    pathToFileURL: Anything,
    fileURLToPath: Anything,
    urlToHttpOptions: Anything;
  export { URL, URLSearchParams };
}
declare module 'node:querystring' {
  const whole: Anything;
  export default whole;
  export const parse: Anything, stringify: Anything, decode: Anything, encode: Anything;
  const text: Anything;

  export { text as escape, text as unescape };
}
declare module 'node:os' {
  const whole: Anything;
  export default whole;
  export const EOL: Anything,
    devNull: Anything,
    platform: Anything,
    type: Anything,
    arch: Anything,
    endianness: Anything,
    homedir: Anything,
    tmpdir: Anything,
    hostname: Anything;
}
declare module 'node:perf_hooks' {
  const whole: Anything;
  export default whole;
  export { performance };
}
declare module 'node:util' {
  const whole: Anything;
  export default whole;
  export const format: Anything,
    formatWithOptions: Anything,
    inspect: Anything,
    stripVTControlCharacters: Anything,
    types: Anything,
    isArray: Anything,
    isDeepStrictEqual: Anything,
    promisify: Anything,
    callbackify: Anything,
    inherits: Anything,
    deprecate: Anything,
    debuglog: Anything,
    toUSVString: Anything,
    parseArgs: Anything,
    styleText: Anything;
  export { TextDecoder, TextEncoder };
}
declare module 'node:assert' {
  const whole: Anything;
  export default whole;
  export class AssertionError extends Error {
    constructor(options?: Anything);
    [member: string]: Anything;
  }
  export const deepEqual: Anything,
    deepStrictEqual: Anything,
    doesNotMatch: Anything,
    doesNotReject: Anything,
    doesNotThrow: Anything,
    equal: Anything,
    fail: Anything,
    ifError: Anything,
    match: Anything,
    notDeepEqual: Anything,
    notDeepStrictEqual: Anything,
    notEqual: Anything,
    notStrictEqual: Anything,
    ok: Anything,
    rejects: Anything,
    strict: Anything,
    strictEqual: Anything,
    throws: Anything;
}
declare module 'node:events' {
  export class EventEmitter extends ToolwrightClass {}
  export default EventEmitter;
  export const defaultMaxListeners: Anything,
    getEventListeners: Anything,
    listenerCount: Anything,
    on: Anything,
    once: Anything;
}
declare module 'node:crypto' {
  const whole: Anything;
  export default whole;
  export const createHash: Anything,
    createHmac: Anything,
    hash: Anything,
    getHashes: Anything,
    randomBytes: Anything,
    randomFillSync: Anything,
    randomInt: Anything,
    randomUUID: Anything,
    getRandomValues: Anything,
    timingSafeEqual: Anything,
    webcrypto: Anything,
    subtle: Anything,
    createCipheriv: Anything,
    createDecipheriv: Anything,
    createSign: Anything,
    createVerify: Anything,
    generateKeyPairSync: Anything,
    pbkdf2Sync: Anything,
    scryptSync: Anything;
}
declare module 'node:zlib' {
  const whole: Anything;
  export default whole;
  export const gzip: Anything,
    gzipSync: Anything,
    gunzip: Anything,
    gunzipSync: Anything,
    deflate: Anything,
    deflateSync: Anything,
    inflate: Anything,
    inflateSync: Anything,
    deflateRaw: Anything,
    deflateRawSync: Anything,
    inflateRaw: Anything,
    inflateRawSync: Anything,
    unzip: Anything,
    unzipSync: Anything,
    brotliCompress: Anything,
    brotliCompressSync: Anything,
    brotliDecompress: Anything,
    brotliDecompressSync: Anything,
    constants: Anything,
    crc32: Anything,
    createGzip: Anything,
    createGunzip: Anything,
    createDeflate: Anything,
    createInflate: Anything,
    createDeflateRaw: Anything,
    createInflateRaw: Anything,
    createUnzip: Anything,
    createBrotliCompress: Anything,
    createBrotliDecompress: Anything;
  export class Gzip extends ToolwrightClass {}
  export class Gunzip extends ToolwrightClass {}
  export class Deflate extends ToolwrightClass {}
  export class Inflate extends ToolwrightClass {}
  export class DeflateRaw extends ToolwrightClass {}
  export class InflateRaw extends ToolwrightClass {}
  export class Unzip extends ToolwrightClass {}
  export class BrotliCompress extends ToolwrightClass {}
  export class BrotliDecompress extends ToolwrightClass {}
}
declare module 'node:readline' {
  const whole: Anything;
  export default whole;
  export class Interface extends ToolwrightClass {
    [Symbol.asyncIterator](): AsyncIterableIterator<Anything>;
  }
  export const createInterface: Anything, promises: Anything;
}
declare module 'node:stream' {
  const whole: Anything;
  export default whole;
  export class Duplex extends ToolwrightClass {
    [Symbol.asyncIterator](): AsyncIterableIterator<Anything>;
  }
  export class PassThrough extends ToolwrightClass {
    [Symbol.asyncIterator](): AsyncIterableIterator<Anything>;
  }
  export class Readable extends ToolwrightClass {
    [Symbol.asyncIterator](): AsyncIterableIterator<Anything>;
  }
  export class Stream extends ToolwrightClass {}
  export class Transform extends ToolwrightClass {
    [Symbol.asyncIterator](): AsyncIterableIterator<Anything>;
  }
  export class Writable extends ToolwrightClass {}
  export const addAbortSignal: Anything, compose: Anything, finished: Anything, pipeline: Anything, promises: Anything;
}
declare module 'node:stream/promises' {
  const whole: Anything;
  export default whole;
  export const finished: Anything, pipeline: Anything;
}
declare module 'node:string_decoder' {
  const whole: Anything;
  export default whole;
  export class StringDecoder extends ToolwrightClass {}
}
declare module 'node:timers' {
  const whole: Anything;
  export default whole;
  export const setTimeout: Anything,
    setInterval: Anything,
    setImmediate: Anything,
    clearTimeout: Anything,
    clearInterval: Anything,
    clearImmediate: Anything,
    promises: Anything;
}
declare module 'node:timers/promises' {
  const whole: Anything;
  export default whole;
  export const setTimeout: Anything, setInterval: Anything, setImmediate: Anything, scheduler: Anything;
}
declare module 'node:util/types' {
  const whole: Anything;
  export default whole;
  export const isAnyArrayBuffer: Anything,
    isArrayBuffer: Anything,
    isArrayBufferView: Anything,
    isAsyncFunction: Anything,
    isBoxedPrimitive: Anything,
    isDataView: Anything,
    isDate: Anything,
    isGeneratorFunction: Anything,
    isGeneratorObject: Anything,
    isMap: Anything,
    isNativeError: Anything,
    isPromise: Anything,
    isRegExp: Anything,
    isSet: Anything,
    isTypedArray: Anything,
    isUint8Array: Anything,
    isWeakMap: Anything,
    isWeakSet: Anything;
}
declare module 'node:assert/strict' {
  export * from 'node:assert';
  export { default } from 'node:assert';
}
declare module 'node:path/posix' {
  export * from 'node:path';
  export { default } from 'node:path';
}
declare module 'node:readline/promises' {
  export * from 'node:readline';
  export { default } from 'node:readline';
}
declare module 'node:buffer' {
  const whole: Anything;
  export default whole;
  export const atob: Anything, btoa: Anything, constants: Anything, INSPECT_MAX_BYTES: Anything;
  export const isAscii: Anything, isUtf8: Anything, kMaxLength: Anything, transcode: Anything;
  export { Blob, Buffer, File };
}
declare module 'node:stream/web' {
  const whole: Anything;
  export default whole;
  export {
    ByteLengthQueuingStrategy,
    CompressionStream,
    CountQueuingStrategy,
    DecompressionStream,
    ReadableStream,
    TransformStream,
    WritableStream,
  };
}
/** `node:fs/promises`: as in Node, `readFile` returns bytes without an encoding. */
interface ToolwrightNodeFiles {
  readFile(
    path: Anything,
    options: ToolwrightEncoding | { encoding: ToolwrightEncoding; flag?: string },
  ): Promise<string>;
  readFile(path: Anything, options?: null | { encoding?: null | undefined; flag?: string }): Promise<Buffer>;
  readFile(path: Anything, options: Anything, callback?: Anything): Promise<Anything>;
  readdir(
    path: Anything,
    options: { recursive?: boolean; withFileTypes: true; encoding?: Anything },
  ): Promise<ToolwrightEntry[]>;
  readdir(path: Anything, options?: Anything): Promise<string[]>;
  [member: string]: Anything;
}
interface ToolwrightNodeSyncFiles {
  readFileSync(path: Anything, options: ToolwrightEncoding | { encoding: ToolwrightEncoding; flag?: string }): string;
  readFileSync(path: Anything, options?: null | { encoding?: null | undefined; flag?: string }): Buffer;
  readFileSync(path: Anything, options: Anything): Anything;
  readdirSync(
    path: Anything,
    options: { recursive?: boolean; withFileTypes: true; encoding?: Anything },
  ): ToolwrightEntry[];
  readdirSync(path: Anything, options?: Anything): string[];
}
declare module 'node:fs/promises' {
  const whole: ToolwrightNodeFiles;
  export default whole;
  export const readFile: ToolwrightNodeFiles['readFile'];
  export const readdir: ToolwrightNodeFiles['readdir'];
  export const open: Anything,
    writeFile: Anything,
    appendFile: Anything,
    opendir: Anything,
    stat: Anything,
    lstat: Anything,
    access: Anything,
    mkdir: Anything,
    mkdtemp: Anything,
    rm: Anything,
    unlink: Anything,
    rmdir: Anything,
    rename: Anything,
    copyFile: Anything,
    cp: Anything,
    truncate: Anything,
    realpath: Anything,
    readlink: Anything,
    symlink: Anything,
    link: Anything,
    chmod: Anything,
    exists: Anything,
    constants: Anything;
}
declare module 'node:fs' {
  const whole: ToolwrightNodeFiles & ToolwrightNodeSyncFiles;
  export default whole;
  export const promises: ToolwrightNodeFiles;
  export const readFile: ToolwrightNodeFiles['readFile'];
  export const readdir: ToolwrightNodeFiles['readdir'];
  export const readFileSync: ToolwrightNodeSyncFiles['readFileSync'];
  export const readdirSync: ToolwrightNodeSyncFiles['readdirSync'];
  export class Dir extends ToolwrightClass {}
  export class Dirent extends ToolwrightClass {}
  export class Stats extends ToolwrightClass {}
  export const createReadStream: Anything,
    createWriteStream: Anything,
    writeFile: Anything,
    appendFile: Anything,
    opendir: Anything,
    stat: Anything,
    lstat: Anything,
    access: Anything,
    mkdir: Anything,
    mkdtemp: Anything,
    rm: Anything,
    unlink: Anything,
    rmdir: Anything,
    rename: Anything,
    copyFile: Anything,
    cp: Anything,
    truncate: Anything,
    realpath: Anything,
    readlink: Anything,
    symlink: Anything,
    link: Anything,
    chmod: Anything,
    exists: Anything,
    constants: Anything,
    writeFileSync: Anything,
    appendFileSync: Anything,
    opendirSync: Anything,
    accessSync: Anything,
    mkdirSync: Anything,
    mkdtempSync: Anything,
    rmSync: Anything,
    unlinkSync: Anything,
    rmdirSync: Anything,
    renameSync: Anything,
    copyFileSync: Anything,
    cpSync: Anything,
    truncateSync: Anything,
    realpathSync: Anything,
    readlinkSync: Anything,
    symlinkSync: Anything,
    linkSync: Anything,
    chmodSync: Anything,
    existsSync: Anything,
    openSync: Anything,
    closeSync: Anything,
    readSync: Anything,
    writeSync: Anything,
    fstatSync: Anything,
    ftruncateSync: Anything,
    fsyncSync: Anything,
    statSync: Anything,
    lstatSync: Anything;
}
declare function require(module: string): Anything;
