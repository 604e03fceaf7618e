// The tokens of o200k_base as one buffer, which needs no parsing: see vocabulary.ts. `npm run build` writes it to a file, and
// replaces this module by one that reads that file.
'use strict';
const tokens = require('gpt-tokenizer/bpeRanks/o200k_base').default;

const BUCKETS = 2 ** 16;

/** Returns the FNV-1a hash of bytes. */
function hashOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const buckets = Array.from({ length: BUCKETS }, () => []);
tokens.forEach((token, rank) => {
  const bytes = Buffer.from(token);
  const head = Buffer.from([bytes.length, rank & 0xff, (rank >> 8) & 0xff, rank >> 16]);
  buckets[hashOf(bytes) & (BUCKETS - 1)].push(head, bytes);
});
const table = Buffer.alloc(4 * (1 + BUCKETS + 1));
table.writeUInt32LE(BUCKETS, 0);
let end = table.length;
buckets.forEach((parts, index) => {
  table.writeUInt32LE(end, 4 * (1 + index));
  for (const { length } of parts) end += length;
});
table.writeUInt32LE(end, 4 * (1 + BUCKETS));
module.exports = Buffer.concat([table, ...buckets.flat()]);
