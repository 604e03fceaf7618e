// Seeded random numbers, which are the same in each run.

/** Creates a generator of numbers from 0 to 1 (mulberry32), with functions that draw from it. */
export function seededRandom(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (from, to) => from + Math.floor(next() * (to - from + 1));
  const pick = (list) => list[whole(0, list.length - 1)];
  return {
    whole,
    pick,
    chance: (share) => next() < share,
    hex: (length) => repeat(length, () => whole(0, 15).toString(16)).join(''),
  };
}

/** Returns `count` values, each created from its index. */
export function repeat(count, make) {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns a day of a year as `2026-03-01`, counted from January 1. */
export function day(year, offset) {
  return new Date(Date.UTC(year, 0, 1 + offset)).toISOString().slice(0, 10);
}
