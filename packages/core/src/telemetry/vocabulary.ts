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
 * Opens the vocabulary. Its buffer has the number of slots, a hash table with the offset of a record or zero in each slot, and
 * the records. It is used as it is: a map of its 200,000 texts takes 0.1 s and 50 MB.
 */
export function openVocabulary(): Vocabulary {
  const data: Buffer = require('./vocabulary.cjs');
  const mask = data.readUInt32LE(0) - 1;
  return {
    rank(bytes, start, end) {
      let hash = 0x811c9dc5;
      for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const offset = data.readUInt32LE(4 + 4 * slot);
        if (offset === 0) return -1;
        if (data[offset] !== end - start) continue;
        const token = offset + HEAD_BYTES;
        let same = 0;
        while (start + same < end && data[token + same] === bytes[start + same]) same++;
        if (start + same === end) return data.readUIntLE(offset + 1, 3);
      }
    },
  };
}
