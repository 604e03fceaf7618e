import { closeSync, constants, existsSync, lstatSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileError, guestPath } from './paths.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** On Linux, an open folder has a path here. An operation on this path stays in the folder. Other systems have none. */
const OPEN_FOLDERS = '/proc/self/fd';
const HAS_OPEN_FOLDERS = process.platform === 'linux' && existsSync(OPEN_FOLDERS);

/**
 * Opens the folder of a guest path, starting at the host folder `root`, and passes its host path to `use`. Never follows a
 * link. On Linux each part is opened relative to the previous one, so the path stays valid when folders are moved or
 * replaced. On other systems each part is checked before `use`: a process that creates links at the same time could win.
 */
export async function inFolder<T>(
  root: string,
  parts: readonly string[],
  use: (folder: string) => Promise<T>,
): Promise<T> {
  let opened = openFolder(dirname(root), basename(root), parts.slice(0, 1));
  try {
    for (const [index, part] of parts.entries()) {
      if (index === 0) continue;
      const next = openFolder(opened.path, part, parts.slice(0, index + 1));
      close(opened);
      opened = next;
    }
    return await use(opened.path);
  } finally {
    close(opened);
  }
}

/** Opens the folder `name` in a folder of {@link inFolder}, and passes its host path to `use`. */
export async function enterFolder<T>(folder: string, name: string, use: (inner: string) => Promise<T>): Promise<T> {
  const opened = openFolder(folder, name, ['', name]);
  try {
    return await use(opened.path);
  } finally {
    close(opened);
  }
}

interface OpenFolder {
  readonly path: string;
  readonly descriptor?: number;
}

/** Opens a folder without a thread, which takes a tenth of the time. */
function openFolder(folder: string, name: string, parts: readonly string[]): OpenFolder {
  const path = join(folder, name);
  try {
    if (HAS_OPEN_FOLDERS) {
      const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
      return { path: `${OPEN_FOLDERS}/${descriptor}`, descriptor };
    }
    if (lstatSync(path).isDirectory()) return { path };
  } catch (error) {
    throw folderError((error as NodeJS.ErrnoException).code ?? 'EIO', parts);
  }
  throw folderError('ENOTDIR', parts);
}

function close({ descriptor }: OpenFolder): void {
  if (descriptor !== undefined) closeSync(descriptor);
}

function folderError(code: string, parts: readonly string[]): Error {
  const name = guestPath(parts);
  if (code === 'ENOENT') {
    return fileError('ENOENT', `the folder ${name} does not exist. Create it with fs.mkdir(path, {recursive: true}).`);
  }
  if (code === 'ENOTDIR' || code === 'ELOOP') return fileError('ENOTDIR', `${name} is not a folder.`);
  return fileError(code, `cannot open the folder ${name}.`);
}
