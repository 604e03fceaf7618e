import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { inOrder } from './manifest.ts';

/** A file, folder or symbolic link on this disk. */
export type Found =
  | FoundFile
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string };

export interface FoundFile {
  readonly kind: 'file';
  readonly mode: number;
  readonly mtimeMs: number;
  readonly size: number;
  readonly sha256: string;
  /** Changes with every change of the file, see {@link signatureOf}. */
  readonly signature: string;
}

const MODE = 0o777;
/** Without these rights, Toolwright could not use a folder. */
const OWN_FOLDER_MODE = 0o700;
const READ_BYTES = 1024 * 1024;
/** Files up to this size are read and written in one step. */
export const SMALL_BYTES: number = 64 * 1024;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NANOSECONDS = 1_000_000n;

/** Entries after which other work of the process gets its turn: calls that block cost a tenth of those that do not. */
const ENTRIES_PER_TURN = 100;

/**
 * Returns everything in a folder by path, in order; nothing for a missing folder. Reads only files that changed since `known`. Devices
 * and pipes are left out. `top` names the entries of the folder to look at; by default all.
 */
export async function scanFolder(
  root: string,
  known: ReadonlyMap<string, Found>,
  top?: ReadonlySet<string>,
): Promise<Map<string, Found>> {
  const found: [string, Found][] = [];
  let looked = 0;
  const look = async (path: string): Promise<void> => {
    if (++looked % ENTRIES_PER_TURN === 0) await turn();
    const stats = unlessGone(() => lstatSync(join(root, path), { bigint: true }));
    if (stats?.isDirectory()) {
      found.push([path, { kind: 'folder', mode: (Number(stats.mode) & MODE) | OWN_FOLDER_MODE }]);
      await walk(path);
    } else if (stats?.isSymbolicLink()) {
      const target = unlessGone(() => readlinkSync(join(root, path)));
      if (target !== undefined) found.push([path, { kind: 'link', target }]);
    } else if (stats?.isFile()) {
      const before = known.get(path);
      const isKnown = before?.kind === 'file' && before.signature === signatureOf(stats);
      const file = isKnown ? before : await readFound(join(root, path), stats);
      if (file) found.push([path, file]);
    }
  };
  const walk = async (folder: string): Promise<void> => {
    const names = unlessGone(() => readdirSync(join(root, folder))) ?? [];
    const own = folder === '' && top ? names.filter((name) => top.has(name)) : names;
    for (const name of own) await look(folder === '' ? name : `${folder}/${name}`);
  };
  await walk('');
  return inOrder(found);
}

/** Returns a text that differs after every change of a file: a program cannot set the time of the last change of its status. */
export function signatureOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Returns the description of a file by its status and the hash of its content. */
export function foundFile(stats: BigIntStats, sha256: string): FoundFile {
  return {
    kind: 'file',
    mode: Number(stats.mode) & MODE,
    mtimeMs: Number(stats.mtimeNs / NANOSECONDS),
    size: Number(stats.size),
    sha256,
    signature: signatureOf(stats),
  };
}

/** Yields the content of a file in parts. Follows no link. */
export async function* contentOf(path: string, size: number): AsyncGenerator<Buffer> {
  if (size <= SMALL_BYTES) {
    yield readSmall(path);
    return;
  }
  const file = await open(path, READ_FLAGS);
  try {
    // Each part has memory of its own: a consumer may keep it.
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function readSmall(path: string): Buffer {
  const file = openSync(path, READ_FLAGS);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

async function readFound(path: string, stats: BigIntStats): Promise<FoundFile | undefined> {
  try {
    const hash = createHash('sha256');
    for await (const part of contentOf(path, Number(stats.size))) hash.update(part);
    // A file that changes meanwhile has another status at the next look.
    return foundFile(stats, hash.digest('hex'));
  } catch (error) {
    return unlessGone(() => {
      throw error;
    });
  }
}

/** A file that is removed meanwhile is not there. */
function unlessGone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|ELOOP)$/.test(String(Object(error).code))) return undefined;
    throw error;
  }
}
