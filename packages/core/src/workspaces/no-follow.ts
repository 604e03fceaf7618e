import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileError, guestPath } from './paths.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Where Linux gives an open folder a path, so that what is done in it stays in it. Other systems have none. */
const OPEN_FOLDERS = '/proc/self/fd';
const HAS_OPEN_FOLDERS = process.platform === 'linux' && existsSync(OPEN_FOLDERS);

/**
 * Walks from the folder `root` to the folder of a guest path, and gives `use` a path of it. No part is ever a link. On
 * Linux each part is opened from the one before, so the path stays that very folder, whatever is moved or put in its
 * place meanwhile. Elsewhere every part is looked at before `use`: who can make links there beside us could be faster.
 */
export async function inFolder<T>(
  root: string,
  parts: readonly string[],
  use: (folder: string) => Promise<T>,
): Promise<T> {
  let opened = await openFolder(dirname(root), basename(root), parts.slice(0, 1));
  try {
    for (const [index, part] of parts.entries()) {
      if (index === 0) continue;
      const next = await openFolder(opened.path, part, parts.slice(0, index + 1));
      await opened.handle?.close();
      opened = next;
    }
    return await use(opened.path);
  } finally {
    await opened.handle?.close();
  }
}

/** Gives `use` a path of the folder `name` in `folder`, which is one that {@link inFolder} gave. */
export async function enterFolder<T>(folder: string, name: string, use: (inner: string) => Promise<T>): Promise<T> {
  const { path, handle } = await openFolder(folder, name, ['', name]);
  try {
    return await use(path);
  } finally {
    await handle?.close();
  }
}

interface OpenFolder {
  readonly path: string;
  readonly handle?: FileHandle;
}

async function openFolder(folder: string, name: string, parts: readonly string[]): Promise<OpenFolder> {
  const path = join(folder, name);
  if (HAS_OPEN_FOLDERS) {
    const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK).catch((error) => {
      throw folderError(error.code, parts);
    });
    return { path: `${OPEN_FOLDERS}/${handle.fd}`, handle };
  }
  const found = await lstat(path).catch((error) => {
    throw folderError(error.code, parts);
  });
  if (!found.isDirectory()) throw folderError('ENOTDIR', parts);
  return { path };
}

function folderError(code: string, parts: readonly string[]): Error {
  const name = guestPath(parts);
  if (code === 'ENOENT') {
    return fileError('ENOENT', `there is no folder ${name}. Make it with fs.mkdir(path, {recursive: true}).`);
  }
  if (code === 'ENOTDIR' || code === 'ELOOP') return fileError('ENOTDIR', `${name} is not a folder.`);
  return fileError(code, `cannot open the folder ${name}.`);
}
