import { expect, test } from 'vitest';
import { newKeyring } from './keys/master-key.ts';
import { memoryStore } from './memory-store.ts';
import { storedNumbers } from './numbers.ts';
import { openVault } from './vault.ts';

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

test('many new values take their numbers in one step, without a gap', async () => {
  const store = memoryStore();
  const steps: string[][] = [];
  const counting: typeof store = {
    ...store,
    increment(namespace, amounts, lifetime) {
      steps.push(Object.keys(amounts));
      return store.increment(namespace, amounts, lifetime);
    },
  };
  const vault = openVault({ store: counting, keys: newKeyring(), user: 'ada', session: 'one' });
  const values = Array.from({ length: 2_400 }, (_, index) => ({
    type: index % 3 === 0 ? 'PHONE' : 'EMAIL',
    text: `value ${index}`,
  }));
  const names = await vault.allocate(values);
  expect(steps).toEqual([['count:PHONE', 'count:EMAIL']]);
  const expected = { EMAIL: 0, PHONE: 0 };
  expect(names).toEqual(values.map(({ type }) => `${type}_${++expected[type as keyof typeof expected]}`));
  expect(await vault.allocate([{ type: 'EMAIL', text: 'one more' }])).toEqual(['EMAIL_1601']);
});
