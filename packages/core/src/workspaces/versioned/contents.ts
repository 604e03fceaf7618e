import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { BlobStore } from '@toolwright/storage/internal';
import pLimit from 'p-limit';
import { ToolwrightError } from '../../errors.ts';
import type { FileVersion } from './manifest.ts';
import type { Upload } from './plan.ts';
import { contentOf } from './scan.ts';

/** The contents of the files of one folder, as blobs. All methods reject with `STORE_UNAVAILABLE` for an unreachable place. */
export interface FolderContents {
  /** Uploads files of a folder on this disk. Raises `BUSY` if one changes meanwhile. */
  upload(root: string, uploads: readonly Upload[]): Promise<void>;
  /**
   * Passes the contents of files to `write`, several at once: the parts of each file are an iterable, which must be read to its end.
   */
  download<File extends FileVersion>(
    files: readonly File[],
    write: (file: File, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => Promise<void>,
  ): Promise<void>;
}

const PARALLEL_UPLOADS = 4;
const PARALLEL_DOWNLOADS = 6;
/** A blob up to this size is read into memory as a whole. */
const MAX_WHOLE_BYTES = 2 * 1024 * 1024;

/** Returns the key of a blob of a folder. */
export function blobKey(folder: string, key: string): string {
  return `folders/${folder}/${key}`;
}

/** Opens the contents of a folder by its id. */
export function folderContents(blobs: BlobStore, folder: string): FolderContents {
  const open = async (key: string) => {
    const blob = await blobs.get(blobKey(folder, key));
    if (blob) return blob;
    const message = `The blob ${blobKey(folder, key)} of a folder is missing in the ${blobs.name} store of blobs. Check the setting "blobs", or restore a backup.`;
    throw new ToolwrightError('STORE_UNAVAILABLE', message);
  };
  return {
    async upload(root, uploads) {
      const limit = pLimit(PARALLEL_UPLOADS);
      await allSettled(
        uploads.map(({ key, files }) => limit(() => blobs.put(blobKey(folder, key), checkedFiles(root, files)))),
      );
    },
    async download(files, write) {
      const byBlob = new Map<string, (typeof files)[number][]>();
      for (const file of files) {
        const group = byBlob.get(file.blob);
        if (group) group.push(file);
        else byBlob.set(file.blob, [file]);
      }
      const limit = pLimit(PARALLEL_DOWNLOADS);
      // The largest blobs first: they take the longest.
      const groups = [...byBlob].sort(([, [one]], [, [other]]) => (other?.size ?? 0) - (one?.size ?? 0));
      await allSettled(
        groups.map(([key, group]) =>
          limit(async () => {
            const { bytes, content } = await open(key);
            const [file] = group;
            if (bytes > MAX_WHOLE_BYTES && file && group.length === 1) return write(file, content);
            const whole = await wholeOf(content);
            for (const each of group) await write(each, [whole.subarray(each.offset, each.offset + each.size)]);
          }),
        ),
      );
    },
  };
}

/** Waits for all of them, so that none works on after a failure, and raises the first error. */
async function allSettled(works: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((each) => each.status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

async function wholeOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

/** Yields the contents of files. Rejects if one has another content than that of its hash: a program of the host has changed it. */
async function* checkedFiles(root: string, files: Upload['files']): AsyncGenerator<Uint8Array> {
  for (const { path, sha256, size } of files) {
    const hash = createHash('sha256');
    for await (const part of contentOf(join(root, path), size)) {
      hash.update(part);
      yield part;
    }
    if (hash.digest('hex') === sha256) continue;
    const message = `A file changed while it was saved: ${JSON.stringify(path.slice(0, 200))}. Try again.`;
    throw new ToolwrightError('BUSY', message);
  }
}
