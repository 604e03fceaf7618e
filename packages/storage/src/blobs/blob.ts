import { ToolwrightError } from '../errors.ts';

/** One blob of a list. */
export interface BlobEntry {
  readonly key: string;
  readonly bytes: number;
}

/** The content of a blob. Read it to its end, or not at all. */
export interface BlobContent {
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Large contents by key, such as files of workspaces. Contents are streams: none has to fit into memory. Any number of processes
 * use it at once. All methods reject with `STORE_UNAVAILABLE` while the place is unreachable.
 */
export interface BlobStore extends AsyncDisposable {
  /** Shown in errors: `folder`, `postgres`, `s3`. */
  readonly name: string;
  /**
   * Writes a blob and returns its size. Readers see the old content or all of the new one. When `content` rejects, the old one stays.
   * Raises `CONFIG_INVALID` for an invalid key, see {@link requireBlobKey}.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  /** Returns a blob, which a later `put` or `delete` does not change; undefined without one. */
  get(key: string): Promise<BlobContent | undefined>;
  /** Removes blobs. Missing ones are no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** Returns all blobs whose keys start with a prefix, in pages, in no order. */
  list(prefix: string): AsyncIterable<readonly BlobEntry[]>;
}

/** Blobs in one page of a list. */
export const PAGE_BLOBS = 500;

const MAX_KEY_CHARACTERS = 512;
const KEY = /^[A-Za-z0-9_-][\w.-]*(\/[A-Za-z0-9_-][\w.-]*)*$/;

/** Returns a key. Raises `CONFIG_INVALID` unless it is parts of letters, digits, `_`, `-` and `.`, separated by `/`. */
export function requireBlobKey(key: string): string {
  if (key.length <= MAX_KEY_CHARACTERS && KEY.test(key)) return key;
  const message = `The key of a blob is invalid: ${JSON.stringify(key.slice(0, 80))}. Use at most ${MAX_KEY_CHARACTERS} letters, digits, "_", "-" and ".", in parts separated by "/". No part starts with ".".`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** Yields a content in pieces of one size; only the last one is smaller. An empty content has no piece. */
export async function* piecesOf(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (let part of content) {
    while (bytes + part.length >= size) {
      const end = size - bytes;
      yield Buffer.concat([...parts, part.subarray(0, end)]);
      [parts, bytes, part] = [[], 0, part.subarray(end)];
    }
    if (part.length === 0) continue;
    // The producer may use its memory again.
    parts.push(Uint8Array.from(part));
    bytes += part.length;
  }
  if (bytes > 0) yield Buffer.concat(parts);
}
