import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { dataFolderError } from './data-folder.ts';

/** Codes of systems that cannot open or flush a folder. */
const NO_FOLDER_SYNC: ReadonlySet<string> = new Set(['EISDIR', 'EPERM', 'EINVAL', 'EACCES']);

/**
 * Creates a file that its owner alone reads, with its folder. It exists completely or not at all, also after a power cut. Returns false
 * if it exists already. Raises `CONFIG_INVALID` when the folder cannot be written to.
 */
export function createOnce(path: string, content: string | Buffer): boolean {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, path);
    flushFolder(dirname(path));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw dataFolderError(dirname(path), cause);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Waits until the disk has a file. */
export function flushFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Waits until the disk has the names in a folder. Not every system can. */
export function flushFolder(folder: string): void {
  try {
    flushFile(folder);
  } catch (error) {
    if (!NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Returns the text of a file; undefined if it does not exist. Raises `CONFIG_INVALID` when it cannot be read. */
export function readIfPresent(path: string): string | undefined {
  return unlessMissing(path, () => readFileSync(path, 'utf8'));
}

/** Returns the names in a folder; none if it does not exist. Raises `CONFIG_INVALID` when it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return unlessMissing(folder, () => readdirSync(folder)) ?? [];
}

function unlessMissing<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw dataFolderError(path, error);
  }
}
