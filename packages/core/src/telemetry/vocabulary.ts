import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Bytes of a record before the token: its length, and its rank in three bytes. */
const HEAD_BYTES = 4;

/** The tokens of o200k_base. The rank of a token is its number; pairs of a lower rank are merged first. */
export interface Vocabulary {
  /** Returns the rank of the bytes from `start` to `end`; -1 if they are no token. */
  rank(bytes: Uint8Array, start: number, end: number): number;
}

/**
 * Opens the vocabulary. Its buffer has the number of buckets, the offset of each bucket and of the end, and the records of all
 * buckets. It is used as it is: a map of its 200,000 texts takes 0.1 s and 50 MB.
 */
export function openVocabulary(): Vocabulary {
  const data: Buffer = require('./vocabulary.cjs');
  const mask = data.readUInt32LE(0) - 1;
  return {
    rank(bytes, start, end) {
      const length = end - start;
      let hash = 0x811c9dc5;
      for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
      const bucket = 4 * (1 + (hash & mask));
      const last = data.readUInt32LE(bucket + 4);
      for (let at = data.readUInt32LE(bucket); at < last; at += HEAD_BYTES + (data[at] ?? 0)) {
        if (data[at] !== length) continue;
        const token = at + HEAD_BYTES;
        let same = 0;
        while (same < length && data[token + same] === bytes[start + same]) same++;
        if (same === length) return data.readUIntLE(at + 1, 3);
      }
      return -1;
    },
  };
}
