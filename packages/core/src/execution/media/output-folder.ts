import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { basename } from 'node:path/posix';
import { readRegularFile } from '@toolwright/connectors/read-file';
import { folderName } from '@toolwright/storage/internal';
import { isDiskFull } from '../../errors.ts';
import type { MediaFile } from '../../history/result.ts';
import { DEFAULT_USER } from '../../owner-name.ts';

/** Characters that no system, or not every system, allows in a name, and those that nobody sees. */
const UNSAFE = /[<>:"/\\|?*\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}\u202a-\u202e\u2066-\u2069]/gu;
/** Names of devices on Windows, and names that hide a file or look like an option. */
const SPECIAL = /^(?:(?:con|prn|aux|nul|com\d|lpt\d)\s*(?:\.|$)|[.~-])/i;
const MAX_NAME_CHARACTERS = 60;
/** Files of one name. */
const MAX_COPIES = 1_000;
/** Only the user of the host reads the files. */
const MODES = { folder: 0o700, file: 0o600 };
const NEW_FILE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The files that an execution shows, and where copies of them go. */
export interface ShownFiles {
  readonly files: readonly MediaFile[];
  /** Reads a file of the program. */
  readonly read: (path: string, maxBytes: number) => Promise<Buffer>;
  /** The `outputFolder` of the configuration. */
  readonly folder: string;
  readonly userId: string;
}

/**
 * Writes a copy of each shown file into the output folder, and returns a warning for each one that could not be written. Replaces no
 * file and follows no link: a taken name gets a number. Other users than the local one have a folder each.
 */
export async function copyToOutputFolder({ files, read, folder, userId }: ShownFiles): Promise<string[]> {
  const target = userId === DEFAULT_USER ? folder : join(folder, folderName('user', userId));
  const warnings: string[] = [];
  for (const { path, name = basename(path), bytes } of files) {
    try {
      await saveCopy(target, name, await read(path, bytes));
    } catch (error) {
      warnings.push(`${name} was not copied to the output folder of the host: ${reasonOf(error)}.`);
    }
  }
  return warnings;
}

/** Returns the name of a copy on every system: without folders, invisible characters, and names with another meaning. */
export function outputName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(UNSAFE, '_')
    .replace(/[. ]+$/, '')
    .trimStart();
  const safe = SPECIAL.test(plain) ? `_${plain}` : plain || 'file';
  const ending = extname(safe).slice(0, MAX_NAME_CHARACTERS / 2);
  return `${[...safe.slice(0, safe.length - extname(safe).length)].slice(0, MAX_NAME_CHARACTERS - ending.length).join('')}${ending}`;
}

/**
 * Writes a file into a folder, which is created, and returns its path. The file has the first free form of its name. A file with the same
 * content stays the only one: a continued execution writes it again.
 */
export async function saveCopy(folder: string, given: string, content: Buffer): Promise<string> {
  await mkdir(folder, { recursive: true, mode: MODES.folder });
  const name = outputName(given);
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  for (let copy = 1; copy <= MAX_COPIES; copy++) {
    const target = join(folder, copy === 1 ? name : `${stem} (${copy})${ending}`);
    try {
      await using file = await open(target, NEW_FILE, MODES.file);
      await file.writeFile(content);
      return target;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
    if (await hasContent(target, content)) return target;
  }
  throw new Error(`the folder has ${MAX_COPIES} files of this name`);
}

async function hasContent(target: string, content: Buffer): Promise<boolean> {
  const found = await lstat(target).catch(() => undefined);
  if (!found?.isFile() || found.size !== content.length) return false;
  return content.equals(await readRegularFile(target, content.length));
}

function isTaken(error: unknown): boolean {
  return ['EEXIST', 'ELOOP', 'EISDIR'].includes(String(Object(error).code));
}

/** The path on the host is not for a model. */
function reasonOf(error: unknown): string {
  if (isDiskFull(error)) return 'the disk is full';
  const { code, path } = Object(error);
  if (typeof code === 'string' && path !== undefined) return `its user may not write it (${code})`;
  return error instanceof Error ? error.message : String(error);
}
