import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf } from '@toolwright/storage/internal';
import { ToolwrightError } from '../errors.ts';

/** The folders at the root of a guest's tree. */
const ROOTS: ReadonlySet<string> = new Set(['workspace', 'skills', 'servers']);
const MAX_NAME_BYTES = 255;
const MAX_PARTS = 64;
/** The length of a path with the maximum of parts, and as many `..`. */
const MAX_PATH_CHARACTERS = 2 * MAX_PARTS * (MAX_NAME_BYTES + 1);
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not contain these
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/** Splits a guest path: `/workspace/a/b` becomes `['workspace', 'a', 'b']`. Relative paths start in `/workspace`. */
export function parseGuestPath(path: unknown): string[] {
  if (typeof path !== 'string' || path === '')
    throw fileError('EINVAL', 'A path must be a string such as /workspace/a.txt.');
  if (path.length > MAX_PATH_CHARACTERS) {
    throw fileError('ENAMETOOLONG', `A path can have at most ${MAX_PATH_CHARACTERS} characters.`);
  }
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  if (!path.startsWith('/') && !ROOTS.has(parts[0] ?? '')) parts.unshift('workspace');
  if (parts.length > MAX_PARTS) throw fileError('ENAMETOOLONG', `A path can have at most ${MAX_PARTS} parts.`);
  for (const part of parts) {
    if (FORBIDDEN.test(part))
      throw fileError('EINVAL', 'A file name must not contain control characters or a backslash.');
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) {
      throw fileError('ENAMETOOLONG', `A file name can have at most ${MAX_NAME_BYTES} bytes.`);
    }
  }
  return parts;
}

/** Joins the parts of a guest path. */
export function guestPath(parts: readonly string[]): string {
  return `/${parts.join('/')}`;
}

/** Returns the error of a file operation, with the code of Node's `fs`. */
export function fileError(errno: string, message: string): ToolwrightError {
  return new ToolwrightError('FILE_ERROR', `${errno}: ${message}`, { details: { errno } });
}

/** Returns whether a file operation failed because the file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof ToolwrightError && error.details.errno === 'ENOENT';
}

/** Returns undefined for the error of a missing file. Throws any other one. */
export function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Converts an error of the host's disk to an error for the guest: with the code, without the path on the host. */
export function toFileError(error: unknown, name: string): unknown {
  if (error instanceof ToolwrightError || !(error instanceof Error)) return error;
  const { syscall } = error as NodeJS.ErrnoException;
  const code = errnoOf(error);
  return code !== undefined && syscall !== undefined ? fileError(code, `the operation on ${name} failed.`) : error;
}

/** Opens a regular file to read it, without a thread. The caller closes its descriptor. Raises the errors of {@link openFile}. */
export function openNow(path: string, name: string): { readonly descriptor: number; readonly size: number } {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw notOpened(error, name);
  }
  const found = fstatSync(descriptor);
  if (found.isFile()) return { descriptor, size: found.size };
  closeSync(descriptor);
  throw fileError('EISDIR', `${name} is not a file.`);
}

/** Opens a regular file. Raises `FILE_ERROR` for links, devices and pipes. */
export async function openFile(path: string, name: string, flags: number): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    throw notOpened(error, name);
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw fileError('EISDIR', `${name} is not a file.`);
}

function notOpened(error: unknown, name: string): ToolwrightError {
  const { code = 'EIO' } = error as NodeJS.ErrnoException;
  return fileError(code, `cannot open ${name}${code === 'ENOENT' ? ': no such file' : ''}.`);
}
