import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmdirSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The free space on a disk. */
interface FreeSpace {
  readonly hasInodes: boolean;
  readonly hasBlocks: boolean;
  readonly freeBytes: number;
}

/** Returns whether the disk of a path can hold no more files, although it may have space. */
export function hasNoInodes(path: string): boolean {
  return spaceAt(path)?.hasInodes === false;
}

/** Bytes that SQLite needs at once for its files: the index of its log alone has 32 KiB. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** Returns whether the disk of a path has no free inodes, or almost no free space. */
export function isDiskShort(path: string): boolean {
  const space = spaceAt(path);
  return space !== undefined && (!space.hasInodes || space.freeBytes < LEAST_FREE_BYTES);
}

/**
 * Returns the code of a failed file operation. Node reports ENOENT when it creates a folder with `recursive` on a full disk: this
 * function returns ENOSPC.
 */
export function errnoOf(error: NodeJS.ErrnoException): string | undefined {
  const { code, syscall, path } = error;
  if (code !== 'ENOENT' || syscall !== 'mkdir' || path === undefined) return code;
  const space = spaceAt(path);
  return space && !(space.hasInodes && space.hasBlocks) ? 'ENOSPC' : code;
}

/**
 * Returns whether a folder does not exist, and its file system creates no folders, as `/proc`. Node never ends there when it creates a
 * folder with `recursive`: ask this first for each folder that a user chose.
 */
export function isUncreatable(folder: string): boolean {
  let nearest = resolve(folder);
  if (existsSync(nearest)) return false;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  const probe = join(nearest, `.toolwright-${randomUUID()}`);
  try {
    mkdirSync(probe, { mode: 0o700 });
    rmdirSync(probe);
    return false;
  } catch (error) {
    // Other errors are those of the first use.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Returns the free space on the disk of a path, or of the nearest folder that exists. */
function spaceAt(path: string): FreeSpace | undefined {
  try {
    const { files, ffree, bavail, bsize } = statfsSync(path);
    // Some file systems have no fixed number of inodes, and report none at all.
    return { hasInodes: files === 0 || ffree > 0, hasBlocks: bavail > 0, freeBytes: bavail * bsize };
  } catch {
    const parent = dirname(path);
    return parent === path ? undefined : spaceAt(parent);
  }
}
