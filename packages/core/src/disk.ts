import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The free room on a disk. */
interface Room {
  readonly hasInodes: boolean;
  readonly hasSpace: boolean;
}

/** Returns whether the disk of a path can hold no more files, although it may have space. */
export function hasNoInodes(path: string): boolean {
  return roomAt(path)?.hasInodes === false;
}

/**
 * Returns the code of a failed file operation. Node reports ENOENT when it creates a folder with `recursive` on a full disk: this
 * function returns ENOSPC.
 */
export function errnoOf(error: NodeJS.ErrnoException): string | undefined {
  const { code, syscall, path } = error;
  if (code !== 'ENOENT' || syscall !== 'mkdir' || path === undefined) return code;
  const room = roomAt(path);
  return room && !(room.hasInodes && room.hasSpace) ? 'ENOSPC' : code;
}

/** Returns the room on the disk of a path, or of the nearest folder that exists. */
function roomAt(path: string): Room | undefined {
  try {
    const { files, ffree, bavail } = statfsSync(path);
    // Some file systems have no fixed number of inodes, and report none at all.
    return { hasInodes: files === 0 || ffree > 0, hasSpace: bavail > 0 };
  } catch {
    const parent = dirname(path);
    return parent === path ? undefined : roomAt(parent);
  }
}
