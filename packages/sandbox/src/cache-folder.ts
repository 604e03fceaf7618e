import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const OTHERS_MAY_WRITE = 0o022;

/** Returns the folder for files that can be made again: `$XDG_CACHE_HOME/toolwright`, else `~/.cache/toolwright`. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'toolwright');
}

/**
 * Returns whether the folder exists or was created, and only this user can write to it. Code that a process loads may
 * lie in such a folder only.
 */
export function isPrivateFolder(folder: string): boolean {
  try {
    makeFolder(folder);
    const { uid, mode } = lstatSync(folder);
    return uid === (process.getuid?.() ?? uid) && (process.platform === 'win32' || (mode & OTHERS_MAY_WRITE) === 0);
  } catch {
    return false;
  }
}

/** Creates a folder and its parents. With `recursive`, Node never ends where a file system creates no folders, as `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}
