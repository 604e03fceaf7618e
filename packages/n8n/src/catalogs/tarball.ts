import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ToolwrightError } from '@toolwright/core/errors';

/** Size limit of one file in a tarball, in bytes; n8n's largest list of nodes has 9 MB. */
export const MAX_FILE_BYTES: number = 64 * 1024 * 1024;
const BLOCK_BYTES = 512;

interface Entry {
  readonly path: string;
  readonly wanted: boolean;
  left: number;
  padding: number;
  readonly chunks: Buffer[];
}

/**
 * Reads the wanted files of an npm tarball; paths have no leading `package/`. It writes nothing to disk and follows no links.
 * Raises `CONFIG_INVALID` for any other file.
 */
export async function readTarball(file: string, wanted: (path: string) => boolean): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let rest: Buffer = Buffer.alloc(0);
  let entry: Entry | undefined;
  const take = (chunk: Buffer): void => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      if (entry === undefined) {
        if (rest.length < BLOCK_BYTES) return;
        entry = readHeader(rest.subarray(0, BLOCK_BYTES), wanted);
        rest = rest.subarray(BLOCK_BYTES);
        continue;
      }
      const part = rest.subarray(0, entry.left);
      if (entry.wanted && part.length > 0) entry.chunks.push(Buffer.from(part));
      entry.left -= part.length;
      rest = rest.subarray(part.length);
      if (entry.left > 0 || rest.length < entry.padding) return;
      rest = rest.subarray(entry.padding);
      if (entry.wanted) files.set(entry.path, Buffer.concat(entry.chunks).toString('utf8'));
      entry = undefined;
    }
  };
  try {
    await pipeline(createReadStream(file), createGunzip(), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) take(chunk);
    });
  } catch (error) {
    if (error instanceof ToolwrightError) throw error;
    const message = `${file} is not a tarball of an npm package: ${error instanceof Error ? error.message : error} Create one with "npm pack".`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause: error });
  }
  return files;
}

function readHeader(block: Buffer, wanted: (path: string) => boolean): Entry | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const text = (from: number, length: number): string =>
    block
      .subarray(from, from + length)
      .toString('utf8')
      .replace(/\0.*$/s, '');
  const size = Number.parseInt(text(124, 12).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0)
    throw new ToolwrightError('CONFIG_INVALID', 'A file in the tarball has no size.');
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const full = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  const path = full.replace(/^[^/]*\//, '');
  const isFile = block[156] === 0 || block[156] === 48;
  const isWanted = isFile && wanted(path);
  if (isWanted && size > MAX_FILE_BYTES) {
    const message = `${path} has ${size} bytes; the limit is ${MAX_FILE_BYTES}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const padding = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
  return { path, wanted: isWanted, left: size, padding, chunks: [] };
}
