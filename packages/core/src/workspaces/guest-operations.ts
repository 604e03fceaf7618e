import type { Files } from './files.ts';
import { fileError } from './paths.ts';

/** The operations of the guest's `fs`, by name. The parameters are unchecked values of the guest. */
export type FileOperations = Readonly<Record<string, (...parameters: readonly unknown[]) => Promise<unknown>>>;

/** Creates the operations of the guest's file system. `maxBytes` limits the size of one read. */
export function fileOperations(files: Files, maxBytes: number, beforeWrite?: () => void): FileOperations {
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
