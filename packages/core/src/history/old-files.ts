import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { removeTree } from '../workspaces/tree.ts';

export const DAY_MS: number = 24 * 60 * 60 * 1_000;

/** Removes a file or a folder. Returns false if it stays: the next purge removes it. */
export async function removePath(path: string, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return removeTree(dirname(path), basename(path)).then(
    () => true,
    () => false,
  );
}

/** Removes the rest of an interrupted creation or removal after a day. Returns whether it did. */
export async function removeLeftover(path: string, now: number, signal: AbortSignal): Promise<boolean> {
  const isOld = now - ((await changeOf(path)) ?? now) > DAY_MS;
  return isOld && (await removePath(path, signal));
}

/** Returns the names in a folder; none if it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** Returns when a file changed, in milliseconds since the epoch; undefined if it does not exist. */
export async function changeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
