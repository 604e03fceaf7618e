import assert from 'node:assert/strict';
import { type StoreCase, texts } from './case.ts';

export const COUNTER_CASES: readonly StoreCase[] = [
  {
    name: 'increments several entries in one call, starting at 0',
    async run(run) {
      const { store, namespace } = run;
      assert.deepEqual(await store.increment(namespace, { a: 1, b: 10 }), { a: 1, b: 10 });
      assert.deepEqual(await store.increment(namespace, { b: -3, c: 2 ** 40 }), { b: 7, c: 2 ** 40 });
      assert.deepEqual(await texts(run, ['a', 'b', 'c']), ['1', '7', String(2 ** 40)]);
    },
  },
  {
    name: 'returns every number once to concurrent increments',
    async run({ store, other, namespace }) {
      const tries = Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? store : other).increment(namespace, { a: 1 }),
      );
      const sums = (await Promise.all(tries)).map(({ a }) => a ?? 0).sort((a, b) => a - b);
      assert.deepEqual(
        sums,
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
    },
  },
  {
    name: 'rejects an increment of an entry that is not a number, and changes no entry',
    async run(run) {
      const { store, namespace } = run;
      await store.put(namespace, [{ key: 'a', value: 'x' }]);
      await assert.rejects(store.increment(namespace, { b: 1, a: 1 }), { code: 'STORE_UNAVAILABLE' });
      assert.deepEqual(await texts(run, ['a', 'b']), ['x', undefined]);
    },
  },
];
