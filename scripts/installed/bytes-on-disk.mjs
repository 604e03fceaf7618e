import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BYTES_PER_BLOCK = 512;

/**
 * Returns the bytes that a file or folder occupies on the disk, as `du` counts them. A file with two names counts once.
 * @param {string} path
 * @param {Set<number>} counted inodes that were counted, of files with several names
 * @returns {number}
 */
export function bytesOnDisk(path, counted) {
  const entry = lstatSync(path);
  if (entry.nlink > 1 && !entry.isDirectory()) {
    if (counted.has(entry.ino)) return 0;
    counted.add(entry.ino);
  }
  const own = (entry.blocks ?? Math.ceil(entry.size / BYTES_PER_BLOCK)) * BYTES_PER_BLOCK;
  if (!entry.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesOnDisk(join(path, name), counted), own);
}
