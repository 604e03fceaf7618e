import type { BulkFiles, ConvertText, FileEntry, Files } from './files.ts';
import { fileError, parseGuestPath } from './paths.ts';
import { isText, wholeText } from './text-parts.ts';

/** The operations of the guest's `fs`, by name. The parameters are unchecked values of the guest. */
export type FileOperations = Readonly<Record<string, (...parameters: readonly unknown[]) => Promise<unknown>>>;

export interface FileOperationsOptions {
  /** Bytes of one read. */
  readonly maxBytes: number;
  /** The execution, which owns its unfinished files. */
  readonly owner: string;
  /** Converts a part of a file to the text for the program. */
  readonly shown: ConvertText;
  /** Converts a text of the program to the text for the file. */
  readonly stored: ConvertText;
  readonly beforeWrite?: (() => void) | undefined;
}

/** Creates the operations of the guest's file system. */
export function fileOperations(files: Files, options: FileOperationsOptions): FileOperations {
  const { maxBytes, beforeWrite } = options;
  const read = (path: unknown): Promise<Buffer> => files.read(text(path), maxBytes);
  /** Runs a change of files. */
  const change = <T>(work: () => Promise<T>): Promise<T> => {
    beforeWrite?.();
    return work();
  };
  const write = (path: unknown, data: Buffer, mode: 'replace' | 'append') =>
    change(() => files.write(text(path), data, mode));

  return {
    'fs.readText': async (path, encoding) => {
      const known = encodingOf(encoding);
      return (await read(path)).toString(known);
    },
    'fs.readBytes': async (path) => (await read(path)).toString('base64'),
    'fs.writeText': async (path, data, encoding) =>
      write(path, Buffer.from(content(data), encodingOf(encoding)), 'replace'),
    'fs.writeBytes': async (path, base64) => write(path, Buffer.from(content(base64), 'base64'), 'replace'),
    'fs.appendText': async (path, data, encoding) =>
      write(path, Buffer.from(content(data), encodingOf(encoding)), 'append'),
    'fs.appendBytes': async (path, base64) => write(path, Buffer.from(content(base64), 'base64'), 'append'),
    'fs.readMany': async (...paths) => {
      const contents = await bulkOf(files).readAll(paths.map(text), maxBytes);
      return contents.map((content) => content?.toString('base64') ?? null);
    },
    'fs.writeMany': (...parameters) => change(async () => writeMany(bulkOf(files), parameters)),
    'fs.removeMany': async (...paths) => change(() => bulkOf(files).removeAll(paths.map(text))),
    ...largeFiles(files, options, change),
    'fs.list': async (path, recursive) => files.list(text(path), recursive === true),
    'fs.stat': async (path) => files.stat(text(path)),
    'fs.mkdir': async (path, recursive) => change(() => files.makeFolder(text(path), recursive === true)),
    'fs.remove': async (path, recursive, force) =>
      change(() => files.remove(text(path), { recursive: recursive === true, force: force === true })),
    'fs.removeFolder': async (path) => change(() => files.removeFolder(text(path))),
    'fs.rename': async (from, to) => change(() => files.rename(text(from), text(to))),
    'fs.copy': async (from, to) => write(to, await read(from), 'replace'),
  };
}

/** Bytes of one part of a large file. */
const PART_BYTES = 1024 * 1024;

/** Creates the operations for files in parts. A part of a text is converted like a whole file: it ends at the end of a line. */
function largeFiles(
  files: Files,
  { maxBytes, owner, shown, stored }: FileOperationsOptions,
  change: <T>(work: () => Promise<T>) => Promise<T>,
): FileOperations {
  /** Whether a file is a text, by its path, size and time. */
  const texts = new Map<string, boolean>();
  const isKnownText = async (path: string, { size, mtimeMs }: FileEntry, { readRange }: BulkFiles) => {
    const key = JSON.stringify([path, size, mtimeMs]);
    const known = texts.get(key) ?? (await isText((offset, length) => readRange(path, offset, length)));
    texts.set(key, known);
    return known;
  };
  return {
    async 'fs.readPart'(path, start) {
      const [name, offset] = [text(path), position(start)];
      // Other files are small, and their texts may need another conversion.
      if (parseGuestPath(name)[0] !== 'workspace')
        return { data: (await files.read(name, maxBytes)).toString('base64'), next: null };
      const bulk = bulkOf(files);
      const entry = await files.stat(name);
      const part = await bulk.readRange(name, offset, Math.min(PART_BYTES, maxBytes));
      const end = offset + part.length;
      if (end < entry.size && part.length === 0) throw fileError('EIO', `${name} changed while it was read.`);
      if (!(await isKnownText(name, entry, bulk)))
        return { data: part.toString('base64'), next: end < entry.size ? end : null };
      const whole = end < entry.size ? wholeText(part) : part.length;
      const content = await shown(part.toString('utf8', 0, whole));
      const next = offset + whole < entry.size ? offset + whole : null;
      return { data: Buffer.from(content).toString('base64'), next };
    },
    'fs.writePart': (path, start, size, base64) =>
      change(async () => {
        const [name, offset, total, bulk] = [text(path), position(start), position(size), bulkOf(files)];
        const data = Buffer.from(content(base64), 'base64');
        await bulk.stage(owner, name, offset, data, total);
        return offset + data.length < total ? null : written(await bulk.commit(owner, name, total, stored));
      }),
  };
}

/** Writes many files. The parameters are their paths, then the list of their contents. */
async function writeMany(bulk: BulkFiles, parameters: readonly unknown[]): Promise<unknown> {
  const paths = parameters.slice(0, -1);
  const contents = parameters.at(-1);
  if (!Array.isArray(contents) || contents.length !== paths.length) {
    throw fileError('EINVAL', 'each path must have the content of its file.');
  }
  const files = paths.map((path, index) => ({
    path: text(path),
    data: Buffer.from(content(contents[index]), 'base64'),
  }));
  return (await bulk.writeAll(files)).map(written);
}

/** Returns the size and the time of a written file, as the guest keeps them. */
function written({ size, mtimeMs }: FileEntry): [number, number] {
  return [size, mtimeMs];
}

function bulkOf({ bulk }: Files): BulkFiles {
  if (bulk) return bulk;
  throw fileError('EACCES', 'only /workspace has large and many files.');
}

function position(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw fileError('EINVAL', 'a position in a file must be a whole number.');
}

/** Converts a value that is not a text to an empty path, which the path parser rejects. */
function text(path: unknown): string {
  return typeof path === 'string' ? path : '';
}

function content(data: unknown): string {
  if (typeof data === 'string') return data;
  throw fileError('EINVAL', `the content of a file must be a string, got ${data === null ? 'null' : typeof data}.`);
}

/** Returns an encoding of Node by its name in any case; UTF-8 by default. */
function encodingOf(encoding: unknown): BufferEncoding {
  if (encoding === undefined) return 'utf8';
  if (typeof encoding === 'string' && Buffer.isEncoding(encoding)) return encoding;
  const shown = JSON.stringify(encoding)?.slice(0, 40) ?? typeof encoding;
  throw fileError(
    'EINVAL',
    `the encoding ${shown} is unknown. Use utf8, base64, base64url, hex, latin1, ascii or utf16le.`,
  );
}
