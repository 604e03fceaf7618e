import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The free space on a disk. */
interface FreeSpace {
  readonly hasInodes: boolean;
  readonly hasBlocks: boolean;
}

/** Returns whether the disk of a path can hold no more files, although it may have space. */
export function hasNoInodes(path: string): boolean {
  return spaceAt(path)?.hasInodes === false;
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

/** Returns the free space on the disk of a path, or of the nearest folder that exists. */
function spaceAt(path: string): FreeSpace | undefined {
  try {
    const { files, ffree, bavail } = statfsSync(path);
    // Some file systems have no fixed number of inodes, and report none at all.
    return { hasInodes: files === 0 || ffree > 0, hasBlocks: bavail > 0 };
  } catch {
    const parent = dirname(path);
    return parent === path ? undefined : spaceAt(parent);
  }
}
