import type { Size } from './tree.ts';

/** The space on disk that a user has. */
export interface DiskSpace {
  /** Takes space before something is written. Raises `WORKSPACE_FULL` when there is not enough. */
  take(bytes: number): Promise<void>;
  /** Adds the bytes of written data or, as a negative number, of removed data. */
  add(bytes: number): void;
}

/** The space of each file or folder in addition to its content: the block size of common file systems. */
const ENTRY_BYTES = 4_096;

/** Returns the bytes on disk of files and folders. */
export function spaceOf({ bytes, files }: Size): number {
  return bytes + files * ENTRY_BYTES;
}
