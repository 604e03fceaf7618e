import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { isUncreatable, ToolwrightError } from '@toolwright/core/errors';

/** The user of a machine: whose files are trusted is the state of this user, outside of any project and data folder. */
export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

const EVERYWHERE = '1';

/** Returns the place of the user who runs this process. */
export function ownPlace(): Place {
  return { env: process.env, home: homedir() };
}

/**
 * Returns whether the user trusts this content of a file: by a yes to exactly this path and content, or by `TOOLWRIGHT_TRUST`.
 * Raises `CONFIG_INVALID` for a wrong value of that.
 */
export function isTrusted(file: string, content: string | Buffer, place: Place): boolean {
  return trustsFolder(dirname(file), place.env.TOOLWRIGHT_TRUST) || existsSync(recordOf(file, content, place));
}

/** Remembers that the user trusts this content of a file. */
export function remember(file: string, content: string | Buffer, place: Place): void {
  const folder = folderOf(place);
  if (isUncreatable(folder)) throw new Error(`its file system cannot create ${folder}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(recordOf(file, content, place), `${file}\n`, { mode: 0o600 });
}

/** One small file per path and content: processes that write at the same time lose nothing. */
function recordOf(file: string, content: string | Buffer, place: Place): string {
  const hash = createHash('sha256').update(file).update('\0').update(content).digest('hex');
  return join(folderOf(place), hash);
}

function folderOf({ env, home }: Place): string {
  return join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'toolwright-trust');
}

function trustsFolder(folder: string, value: string | undefined): boolean {
  if (value === undefined || value === '') return false;
  if (value === EVERYWHERE) return true;
  const trusted = value.split(delimiter).filter((path) => path !== '');
  const wrong = trusted.find((path) => !isAbsolute(path));
  if (wrong !== undefined) {
    const message = `TOOLWRIGHT_TRUST is ${JSON.stringify(value)}. Set it to 1, or to absolute folders with "${delimiter}" between them.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  return trusted.some((path) => `${folder}${sep}`.startsWith(`${realPath(path).replace(/[/\\]+$/, '')}${sep}`));
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
