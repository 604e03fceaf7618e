import { expect, test } from 'vitest';
import { memoryStore } from './memory-store.ts';
import { storedNumbers } from './numbers.ts';

test('numbers are taken once, by processes with one store too, and follow each other', async () => {
  const store = memoryStore();
  const processes = [storedNumbers(store, 'ada'), storedNumbers(store, 'ada')];
  const taken: number[] = [];
  for (let round = 0; round < 500; round++) {
    const amount = 1 + (round % 7);
    const last = (await processes[round % 2]?.take('EMAIL', amount)) ?? 0;
    for (let number = last - amount + 1; number <= last; number++) taken.push(number);
  }
  expect(new Set(taken).size).toBe(taken.length);
  expect(Math.min(...taken)).toBe(1);
  // Blocks skip few numbers.
  expect(Math.max(...taken)).toBeLessThan(taken.length + 2 * 107);
});

test('types and users have numbers of their own, and the store is asked rarely', async () => {
  const store = memoryStore();
  let asked = 0;
  const counting = {
    ...store,
    increment(...args: Parameters<typeof store.increment>) {
      asked++;
      return store.increment(...args);
    },
  };
  const numbers = storedNumbers(counting, 'ada');
  expect([await numbers.take('EMAIL', 1), await numbers.take('NAME', 1)]).toEqual([1, 1]);
  expect(await storedNumbers(store, 'eve').take('EMAIL', 1)).toBe(1);
  for (let round = 0; round < 1_000; round++) await numbers.take('EMAIL', 1);
  expect(asked).toBeLessThan(30);
});
