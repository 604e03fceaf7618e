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

const bytes = tokens.map((token) => Buffer.from(token));
const slots = new Uint32Array(SLOTS);
bytes.forEach((token, rank) => {
  let slot = hashOf(token) & (SLOTS - 1);
  while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = rank + 1;
});
module.exports = Buffer.concat([
  Buffer.from(new Uint32Array([tokens.length, SLOTS]).buffer),
  Buffer.from(slots.buffer),
  Buffer.from(bytes.map(({ length }) => length)),
  ...bytes,
]);
