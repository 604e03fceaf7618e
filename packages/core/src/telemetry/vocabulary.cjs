// The tokens of o200k_base as one buffer, which needs no parsing: see vocabulary.ts. `npm run build` writes it to a file, and
// replaces this module by one that reads that file.
'use strict';
const tokens = require('gpt-tokenizer/bpeRanks/o200k_base').default;

const SLOTS = 2 ** 18;

/** Returns the FNV-1a hash of bytes. */
function hashOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const slots = new Uint32Array(SLOTS);
let end = 4 * (1 + SLOTS);
const records = tokens.map((token, rank) => {
  const bytes = Buffer.from(token);
  let slot = hashOf(bytes) & (SLOTS - 1);
  while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = end;
  const record = Buffer.concat([Buffer.from([bytes.length, rank & 0xff, (rank >> 8) & 0xff, rank >> 16]), bytes]);
  end += record.length;
  return record;
});
const table = Buffer.alloc(4 * (1 + SLOTS));
table.writeUInt32LE(SLOTS, 0);
slots.forEach((offset, slot) => void table.writeUInt32LE(offset, 4 * (1 + slot)));
module.exports = Buffer.concat([table, ...records]);
