/** A reproducible source of random numbers. */
export interface Random {
  /** Returns an integer from 0 to `below` - 1. */
  int(below: number): number;
  /** Returns an element of a list. */
  pick<T>(list: readonly T[]): T;
  /** Returns true in one of `n` cases. */
  oneIn(n: number): boolean;
}

/** Creates the random numbers of a seed, by the generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { int, pick: <T>(list: readonly T[]) => list[int(list.length)] as T, oneIn: (n) => int(n) === 0 };
}
