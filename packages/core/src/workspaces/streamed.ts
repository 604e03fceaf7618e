import { randomUUID } from 'node:crypto';
import type { Files } from './files.ts';
import { fileError } from './paths.ts';

/** Bytes of a file that are in memory at once. */
const PART_BYTES = 4 * 1024 * 1024;

/** A file that is read in parts. */
export interface OpenedFile {
  readonly size: number;
  /** Its first bytes. */
  readonly head: Buffer;
  /** All parts, each in memory only while it is read. Raises `EIO` when the file becomes shorter meanwhile. */
  readonly parts: AsyncGenerator<Buffer>;
}

/** Opens a file of any size. Raises the errors of `read`. */
export async function readParts(files: Files, path: string): Promise<OpenedFile> {
  const { size } = await files.stat(path);
  const { bulk } = files;
  if (size <= PART_BYTES || bulk === undefined) {
    const head = await files.read(path, Math.max(size, PART_BYTES));
    return { size: head.length, head, parts: following(head) };
  }
  const head = await bulk.readRange(path, 0, PART_BYTES);
  return {
    size,
    head,
    parts: following(head, async (offset) => {
      if (offset === size) return undefined;
      const part = await bulk.readRange(path, offset, Math.min(PART_BYTES, size - offset));
      if (part.length === 0) throw fileError('EIO', `${path} was changed while it was read. Read it again.`);
      return part;
    }),
  };
}

async function* following(
  head: Buffer,
  next: (offset: number) => Promise<Buffer | undefined> = async () => undefined,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (let part: Buffer | undefined = head; part !== undefined; part = await next(offset)) {
    yield part;
    offset += part.length;
  }
}

/**
 * Replaces a file with `size` bytes that come in parts. Until the last one has come, the file stays as it is. Raises `EIO` for another number of
 * bytes, and `WORKSPACE_FULL` before the first one is kept.
 */
export async function writeParts(
  files: Files,
  path: string,
  { size, parts }: { readonly size: number; readonly parts: AsyncIterable<Uint8Array> },
): Promise<void> {
  const owner = randomUUID();
  let offset = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const keep = async (): Promise<void> => {
    const data = Buffer.concat(held);
    if (offset + data.length > size || files.bulk === undefined) throw incomplete(path, size);
    await files.bulk.stage(owner, path, offset, data, size);
    offset += data.length;
    [held, heldBytes] = [[], 0];
  };
  for await (const part of parts) {
    held.push(part);
    heldBytes += part.length;
    if (heldBytes >= PART_BYTES) await keep();
  }
  if (size <= PART_BYTES && offset === 0 && heldBytes === size) {
    await files.write(path, Buffer.concat(held), 'replace');
    return;
  }
  await keep();
  if (offset !== size) throw incomplete(path, size);
  await files.bulk?.commit(owner, path, size);
}

function incomplete(path: string, size: number): Error {
  return fileError('EIO', `${path} did not come with its ${size} bytes. Write it again.`);
}
