import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';

/** The folders a guest may write to. */
export const WRITABLE_ROOTS = ['workspace', 'skills'] as const;

const ROOTS: ReadonlySet<string> = new Set([...WRITABLE_ROOTS, 'servers']);
const MAX_NAME_BYTES = 255;
const MAX_PARTS = 64;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not appear in a name
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/** A guest path taken apart: `/workspace/a/b` is `['workspace', 'a', 'b']`. Relative paths start in `/workspace`. */
export function parseGuestPath(path: unknown): string[] {
  if (typeof path !== 'string' || path === '')
    throw fileError('EINVAL', 'A path is a string such as /workspace/a.txt.');
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

/**
 * The host path of a guest path, for reading and writing. Every part on the way is looked at without following links:
 * a link that a guest made never leads the host anywhere.
 */
export async function hostPath(root: string, parts: readonly string[]): Promise<string> {
  let path = root;
  for (const part of parts.slice(0, -1)) {
    path = join(path, part);
    const found = await lstat(path).catch(() => undefined);
    if (!found)
      throw fileError(
        'ENOENT',
        `there is no folder ${guestPath(parts.slice(0, -1))}. Make it with fs.mkdir(path, {recursive: true}).`,
      );
    if (!found.isDirectory()) throw fileError('ENOTDIR', `${part} in ${guestPath(parts)} is not a folder.`);
  }
  return join(path, parts.at(-1) ?? '');
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
