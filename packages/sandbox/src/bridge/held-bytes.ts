import { isAscii } from 'node:buffer';

/** Smaller chunks are copied into a common buffer: each chunk of its own needs some 200 bytes. */
const MIN_OWN_BYTES = 4 * 1024;
const COMMON_BYTES = 64 * 1024;
/** Bytes from which a text is worth the test for ASCII. */
const MIN_TESTED_BYTES = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/** Bytes that arrive in chunks. Large chunks are kept without a copy. */
export interface HeldBytes {
  /** The number of bytes. */
  readonly length: number;
  /** Adds a chunk. Its memory must not change until {@link take}. */
  add(chunk: Buffer): void;
  /** Returns all bytes, and forgets them. */
  take(): Buffer;
  /** Forgets all bytes. */
  clear(): void;
}

/** Creates an empty {@link HeldBytes}. */
export function heldBytes(): HeldBytes {
  let parts: Buffer[] = [];
  let length = 0;
  let common: Buffer = NOTHING;
  /** Bytes at the start of `common` that are not in `parts` yet. */
  let used = 0;
  const endCommon = () => {
    if (used > 0) parts.push(common.subarray(0, used));
    common = common.subarray(used);
    used = 0;
  };
  const clear = () => {
    [parts, length, common, used] = [[], 0, NOTHING, 0];
  };
  return {
    get length() {
      return length;
    },
    add(chunk) {
      length += chunk.length;
      if (chunk.length >= MIN_OWN_BYTES) {
        endCommon();
        parts.push(chunk);
        return;
      }
      for (let at = 0; at < chunk.length; ) {
        if (used === common.length) {
          endCommon();
          common = Buffer.allocUnsafeSlow(Math.min(COMMON_BYTES, Math.max(MIN_OWN_BYTES, length)));
        }
        const copied = chunk.copy(common, used, at);
        used += copied;
        at += copied;
      }
    },
    take() {
      endCommon();
      const [only = NOTHING] = parts;
      const all = parts.length > 1 ? Buffer.concat(parts, length) : only;
      clear();
      return all;
    },
    clear,
  };
}

/** Returns the text of bytes in UTF-8. Long ASCII needs no decoder, which takes most of the time. */
export function textOf(bytes: Buffer): string {
  return bytes.toString(bytes.length >= MIN_TESTED_BYTES && isAscii(bytes) ? 'latin1' : 'utf8');
}
