import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasNoInodes, isDiskFull, isUncreatable, messageOf, ToolwrightError } from '../errors.ts';
import { type BlobEntry, type BlobStore, PAGE_BLOBS, requireBlobKey } from './blob.ts';

const READ_BYTES = 256 * 1024;
/** The end of a folder name, so that the blobs `a` and `a/b` can both exist. No key has it. */
const FOLDER_END = '+';
/** The start of files that are not complete. No part of a key has it. */
const DRAFT = '.new-';
/** Another process may remove an empty folder between its creation and its first file. */
const ATTEMPTS = 5;

/** Keeps blobs as files below a folder, readable by this user only. A finished `put` survives a power cut. */
export function folderBlobs({ path: root }: { readonly path: string }): BlobStore {
  const pathOf = (key: string) => join(root, ...requireBlobKey(key).split('/').map(partName));
  let isClosed = false;
  const inFolder = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new ToolwrightError('CLOSED', 'This store is closed.');
    try {
      return await work();
    } catch (error) {
      throw isSystemError(error) ? failed(root, error) : error;
    }
  };
  return {
    name: 'folder',
    put: (key, content) =>
      inFolder(async () => {
        const path = pathOf(key);
        const { file, draft } = await openDraft(path, root);
        try {
          const bytes = await writeAll(file, content);
          await rename(draft, path);
          await flushFolder(dirname(path));
          return bytes;
        } catch (error) {
          await rm(draft, { force: true });
          throw error;
        }
      }),
    get: (key) =>
      inFolder(async () => {
        const file = await unlessMissing(open(pathOf(key), 'r'));
        if (!file) return undefined;
        const { size } = await file.stat();
        return { bytes: size, content: file.createReadStream({ highWaterMark: READ_BYTES }) };
      }),
    delete: (keys) =>
      inFolder(async () => {
        for (const path of keys.map(pathOf)) {
          await rm(path, { force: true });
          await removeEmpty(dirname(path), root);
        }
      }),
    async *list(prefix) {
      let page: BlobEntry[] = [];
      for await (const key of keysIn(root, '', prefix)) {
        const found = await inFolder(() => unlessMissing(stat(pathOf(key))));
        if (!found) continue;
        page.push({ key, bytes: found.size });
        if (page.length < PAGE_BLOBS) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}

function partName(part: string, index: number, parts: readonly string[]): string {
  return index === parts.length - 1 ? part : part + FOLDER_END;
}

async function openDraft(path: string, root: string): Promise<{ file: FileHandle; draft: string }> {
  const draft = join(dirname(path), DRAFT + randomUUID());
  if (isUncreatable(dirname(path)))
    throw new ToolwrightError(
      'STORE_UNAVAILABLE',
      `The folder of blobs ${root} cannot be created. Choose another folder.`,
    );
  for (let attempt = 1; ; attempt++) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      return { file: await open(draft, 'wx', 0o600), draft };
    } catch (error) {
      if (Object(error).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
    }
  }
}

async function writeAll(file: FileHandle, content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  try {
    for await (const part of content) {
      await file.writeFile(part);
      bytes += part.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}

async function flushFolder(path: string): Promise<void> {
  // Not every system can open or flush a folder.
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let path = folder; path !== root && path.startsWith(root); path = dirname(path)) {
    try {
      await rmdir(path);
    } catch {
      return;
    }
  }
}

/** Yields the keys below a folder that start with a prefix. `start` is the key of the folder. */
async function* keysIn(folder: string, start: string, prefix: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.name.startsWith(DRAFT)) continue;
    if (entry.isDirectory()) {
      const inner = `${start}${entry.name.slice(0, -FOLDER_END.length)}/`;
      if (inner.startsWith(prefix) || prefix.startsWith(inner)) yield* keysIn(join(folder, entry.name), inner, prefix);
    } else if (`${start}${entry.name}`.startsWith(prefix)) yield `${start}${entry.name}`;
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(Object(error).code)) return undefined;
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function failed(root: string, error: unknown): ToolwrightError {
  const isFull = isDiskFull(error) || hasNoInodes(root);
  const fix = isFull ? 'Free space or inodes there (see "df -h" and "df -i").' : 'Make it writable for this user.';
  const message = `The folder of blobs ${root} failed: ${messageOf(error)}. ${fix}`;
  const details = isFull ? { errno: 'ENOSPC' } : {};
  return new ToolwrightError('STORE_UNAVAILABLE', message, { cause: error, details });
}
