import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
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
const PARALLEL_READS = 4;
const NANOSECONDS = 1_000_000n;

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
  const reads = pLimit(PARALLEL_READS);
  const look = async (path: string): Promise<void> => {
    const stats = await unlessGone(lstat(join(root, path), { bigint: true }));
    if (stats?.isDirectory()) {
      found.push([path, { kind: 'folder', mode: (Number(stats.mode) & MODE) | OWN_FOLDER_MODE }]);
      await walk(path);
    } else if (stats?.isSymbolicLink()) {
      const target = await unlessGone(readlink(join(root, path)));
      if (target !== undefined) found.push([path, { kind: 'link', target }]);
    } else if (stats?.isFile()) {
      const before = known.get(path);
      const isKnown = before?.kind === 'file' && before.signature === signatureOf(stats);
      const file = isKnown ? before : await reads(() => unlessGone(readFound(join(root, path))));
      if (file) found.push([path, file]);
    }
  };
  const walk = async (folder: string): Promise<void> => {
    const names = (await unlessGone(readdir(join(root, folder)))) ?? [];
    const own = folder === '' && top ? names.filter((name) => top.has(name)) : names;
    await Promise.all(own.map((name) => look(folder === '' ? name : `${folder}/${name}`)));
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
export async function* contentOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
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

async function readFound(path: string): Promise<FoundFile> {
  const hash = createHash('sha256');
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = await file.stat({ bigint: true });
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(READ_BYTES, Number(stats.size))));
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
    }
    return foundFile(stats, hash.digest('hex'));
  } finally {
    await file.close();
  }
}

/** A file that is removed meanwhile is not there. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|ELOOP)$/.test(String(Object(error).code))) return undefined;
    throw error;
  }
}
