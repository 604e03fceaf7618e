import type { Stats } from 'node:fs';
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import type { FileEntry } from './files.ts';
import { enterFolder } from './no-follow.ts';

/** How much lies somewhere; folders count as files. */
export interface Size {
  bytes: number;
  files: number;
}

/** Entries of one listing; more are left out. */
const MAX_LISTED = 10_000;

/** What lies at `name` in a folder, never what a link points at; nothing when there is nothing. */
export function look(folder: string, name: string): Promise<Stats | undefined> {
  return lstat(join(folder, name)).catch(() => undefined);
}

/** How much is at `name` in a folder, itself included. */
export async function measure(folder: string, name: string): Promise<Size> {
  const found = await look(folder, name);
  if (!found) return { bytes: 0, files: 0 };
  if (!found.isDirectory()) return { bytes: found.size, files: 1 };
  const inside = await enterFolder(folder, name, measureAll).catch(unlessGone({ bytes: 0, files: 0 }));
  return { bytes: inside.bytes, files: inside.files + 1 };
}

/** How much is in a folder. */
export async function measureAll(folder: string): Promise<Size> {
  const total = { bytes: 0, files: 0 };
  for (const name of await readdir(folder)) {
    const { bytes, files } = await measure(folder, name);
    total.bytes += bytes;
    total.files += files;
  }
  return total;
}

/** What is in a folder, in no order. Links, devices and pipes are not shown: nothing of ours makes them. */
export async function listAll(folder: string, recursive: boolean): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  const collect = async (folder: string, prefix: string): Promise<void> => {
    for (const name of await readdir(folder)) {
      if (entries.length >= MAX_LISTED) return;
      const entry = entryOf(await look(folder, name), prefix + name);
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

/** Deletes what is at `name` in a folder: a link itself, a folder with all that is in it. */
export async function removeTree(folder: string, name: string): Promise<void> {
  const found = await look(folder, name);
  if (!found) return;
  if (!found.isDirectory()) return unlink(join(folder, name)).catch(unlessGone(undefined));
  await enterFolder(folder, name, async (inner) => {
    for (const entry of await readdir(inner)) await removeTree(inner, entry);
  }).catch(unlessGone(undefined));
  await rmdir(join(folder, name)).catch(unlessGone(undefined));
}

/** What another process takes away or swaps while we look is not there: no reason to fail. */
function unlessGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    const code = error instanceof ToolwrightError ? error.details.errno : (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return instead;
    throw error;
  };
}

/** What a listing shows of it. */
export function entryOf(found: Stats | undefined, name: string): FileEntry | undefined {
  if (!found?.isFile() && !found?.isDirectory()) return undefined;
  return {
    name,
    kind: found.isFile() ? 'file' : 'directory',
    size: found.isFile() ? found.size : 0,
    mtimeMs: found.mtimeMs,
  };
}
