import { lstatSync, type Stats } from 'node:fs';
import { readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolwrightError } from '../errors.ts';
import type { FileEntry } from './files.ts';
import { enterFolder } from './no-follow.ts';

/** The size of files and folders. A folder counts as a file. */
export interface Size {
  bytes: number;
  files: number;
}

/** Maximum entries of one listing. */
const MAX_LISTED = 100_000;
/** Entries that are looked at without a pause for other work of the process. */
const SLICE = 512;

/** Returns the status of `name` in a folder, without following a link; undefined when it does not exist. */
export async function look(folder: string, name: string): Promise<Stats | undefined> {
  try {
    // A look that waits for no thread takes a tenth of the time.
    return lstatSync(join(folder, name), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns the size of `name` in a folder, including the entry itself. */
export async function measure(folder: string, name: string): Promise<Size> {
  const found = await look(folder, name);
  if (!found) return { bytes: 0, files: 0 };
  if (!found.isDirectory()) return { bytes: found.size, files: 1 };
  const inside = await enterFolder(folder, name, measureAll).catch(unlessGone({ bytes: 0, files: 0 }));
  return { bytes: inside.bytes, files: inside.files + 1 };
}

/** Returns the size of everything in a folder. */
export async function measureAll(folder: string): Promise<Size> {
  const total = { bytes: 0, files: 0 };
  for (const name of await readdir(folder)) {
    const { bytes, files } = await measure(folder, name);
    total.bytes += bytes;
    total.files += files;
  }
  return total;
}

/** Returns the entries of a folder, unsorted. Omits links, devices and pipes, which Toolwright never creates. */
export async function listAll(folder: string, recursive: boolean): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  const collect = async (folder: string, prefix: string): Promise<void> => {
    for (const [index, name] of (await readdir(folder)).entries()) {
      if (entries.length >= MAX_LISTED) return;
      if (index % SLICE === SLICE - 1) await nextTurn();
      const entry = entryOf(lstatSync(join(folder, name), { throwIfNoEntry: false }), prefix + name);
      if (!entry) continue;
      entries.push(entry);
      if (recursive && entry.kind === 'directory') {
        await enterFolder(folder, name, (inner) => collect(inner, `${prefix}${name}/`)).catch(unlessGone(undefined));
      }
    }
  };
  await collect(folder, '');
  return entries;
}

/** Deletes `name` in a folder: a link itself, or a folder with its content. */
export async function removeTree(folder: string, name: string): Promise<void> {
  const found = await look(folder, name);
  if (!found) return;
  if (!found.isDirectory()) return unlink(join(folder, name)).catch(unlessGone(undefined));
  await enterFolder(folder, name, async (inner) => {
    for (const entry of await readdir(inner)) await removeTree(inner, entry);
  }).catch(unlessGone(undefined));
  await rmdir(join(folder, name)).catch(unlessGone(undefined));
}

/** Ignores an entry that another process removes or replaces during the operation. */
function unlessGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    const code = error instanceof ToolwrightError ? error.details.errno : (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return instead;
    throw error;
  };
}

/** Returns the listing entry of a file or folder; undefined for anything else. */
export function entryOf(found: Stats | undefined, name: string): FileEntry | undefined {
  if (!found?.isFile() && !found?.isDirectory()) return undefined;
  return {
    name,
    kind: found.isFile() ? 'file' : 'directory',
    size: found.isFile() ? found.size : 0,
    mtimeMs: found.mtimeMs,
  };
}
