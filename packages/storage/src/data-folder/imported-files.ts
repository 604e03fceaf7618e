import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolderError } from './data-folder.ts';

const IMPORTED = /^(?:decisions|history|sessions|state\.db|tasks)\.imported-(\d+)$/;

/**
 * Renames a folder of a data folder whose contents are rows now to `<name>.imported-<time>`; renamed back, a former version uses it again.
 * Returns its path. Raises `CONFIG_INVALID`.
 */
export async function keepImported(dataDir: string, name: string): Promise<string> {
  const target = join(dataDir, `${name}.imported-${Date.now()}`);
  await rename(join(dataDir, name), target).catch((error: NodeJS.ErrnoException) => {
    // Another process was first.
    if (error.code !== 'ENOENT') throw dataFolderError(dataDir, error);
  });
  return target;
}

/** Deletes the folders and files that were imported before a time, in milliseconds since the epoch. */
export async function purgeImported(dataDir: string, oldestMs: number): Promise<void> {
  for (const name of await readdir(dataDir).catch(() => [])) {
    const importedMs = Number(IMPORTED.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
    if (importedMs < oldestMs) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
