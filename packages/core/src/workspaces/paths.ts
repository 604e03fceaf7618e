import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ToolwrightError } from '../errors.ts';

/** The folders at the root of a guest's tree. */
const ROOTS: ReadonlySet<string> = new Set(['workspace', 'skills', 'servers']);
const MAX_NAME_BYTES = 255;
const MAX_PARTS = 64;
/** What the longest path of the most parts has, and `..` besides. */
const MAX_PATH_CHARACTERS = 2 * MAX_PARTS * (MAX_NAME_BYTES + 1);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not appear in a name
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/** A guest path taken apart: `/workspace/a/b` is `['workspace', 'a', 'b']`. Relative paths start in `/workspace`. */
export function parseGuestPath(path: unknown): string[] {
  if (typeof path !== 'string' || path === '')
    throw fileError('EINVAL', 'A path is a string such as /workspace/a.txt.');
  if (path.length > MAX_PATH_CHARACTERS) {
    throw fileError('ENAMETOOLONG', `A path has at most ${MAX_PATH_CHARACTERS} characters.`);
  }
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  if (!path.startsWith('/') && !ROOTS.has(parts[0] ?? '')) parts.unshift('workspace');
  if (parts.length > MAX_PARTS) throw fileError('ENAMETOOLONG', `A path has at most ${MAX_PARTS} parts.`);
  for (const part of parts) {
    if (FORBIDDEN.test(part)) throw fileError('EINVAL', 'A file name holds no control characters and no backslash.');
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) {
      throw fileError('ENAMETOOLONG', `A file name has at most ${MAX_NAME_BYTES} bytes.`);
    }
  }
  return parts;
}

/** The path as the guest writes it. */
export function guestPath(parts: readonly string[]): string {
  return `/${parts.join('/')}`;
}

/** An error of a file operation, with the code that Node's own `fs` would give. */
export function fileError(errno: string, message: string): ToolwrightError {
  return new ToolwrightError('FILE_ERROR', `${errno}: ${message}`, { details: { errno } });
}

/** Whether a file operation failed because nothing is there. */
export function isMissing(error: unknown): boolean {
  return error instanceof ToolwrightError && error.details.errno === 'ENOENT';
}

/** What the guest gets to know of a disk that refuses: the code, never the path on the host. */
export function toFileError(error: unknown, name: string): unknown {
  if (error instanceof ToolwrightError || !(error instanceof Error)) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined ? fileError(code, `the disk refuses that for ${name}.`) : error;
}

/** Opens a regular file, never a link, a device or a pipe. */
export async function openFile(path: string, name: string, flags: number): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    const { code = 'EIO' } = error as NodeJS.ErrnoException;
    throw fileError(code, `cannot open ${name}${code === 'ENOENT' ? ': there is no such file' : ''}.`);
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw fileError('EISDIR', `${name} is not a file.`);
}
