import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { listed, type StoreCase, texts } from './case.ts';

/** Long enough that a step is done within a part of it on a busy machine. */
const SHORT_MS = 1_200;
const PAST_MS = SHORT_MS + 300;
const LONG_MS = 600_000;

export const LIFETIME_CASES: readonly StoreCase[] = [
  {
    name: 'ends a namespace when nobody has used it for its idle time',
    async run(run) {
      const { store, other, namespace } = run;
      await store.put(namespace, [{ key: 'a', value: '1' }], { idleMs: SHORT_MS });
      await sleep(SHORT_MS * 0.7);
      assert.equal(await other.touch(namespace, { idleMs: SHORT_MS }), true);
      await sleep(SHORT_MS * 0.7);
      assert.deepEqual(await texts(run, ['a']), ['1']);
      await sleep(PAST_MS);
      const names: string[] = [];
      for await (const name of store.namespaces(namespace)) names.push(name);
      assert.deepEqual([await texts(run, ['a']), await listed(run), names], [[undefined], [], []]);
      assert.equal(await store.touch(namespace, { idleMs: SHORT_MS }), false);
    },
  },
  {
    name: 'ends a namespace at its absolute end, however much it is used',
    async run(run) {
      const { store, namespace } = run;
      const start = performance.now();
      await store.increment(namespace, { a: 1 }, { idleMs: LONG_MS, maxMs: SHORT_MS });
      while (performance.now() - start < PAST_MS) {
        await store.touch(namespace, { idleMs: LONG_MS, maxMs: LONG_MS });
        await sleep(SHORT_MS / 5);
      }
      assert.deepEqual(await texts(run, ['a']), [undefined]);
    },
  },
  {
    name: 'begins anew after the end: nothing of before comes back, and the end is a new one',
    async run(run) {
      const { store, namespace } = run;
      await store.put(namespace, [{ key: 'a', value: '1' }], { maxMs: 1 });
      await sleep(50);
      assert.deepEqual(await store.increment(namespace, { count: 1 }, { maxMs: LONG_MS }), { count: 1 });
      assert.deepEqual(await listed(run), [['count', '1']]);
      await store.put(namespace, [{ key: 'a', value: '2', was: null }]);
      assert.deepEqual(await texts(run, ['a']), ['2']);
    },
  },
  {
    name: 'keeps what was given no lifetime, and does not change one by writing without',
    async run(run) {
      const { store, namespace } = run;
      const lasting = { ...run, namespace: `${namespace}:lasting` };
      await store.put(lasting.namespace, [{ key: 'a', value: '1' }]);
      await store.put(namespace, [{ key: 'a', value: '1' }], { idleMs: SHORT_MS });
      await sleep(SHORT_MS * 0.6);
      await store.put(namespace, [{ key: 'b', value: '2' }]);
      await sleep(PAST_MS * 0.6);
      assert.deepEqual([await texts(run, ['a', 'b']), await texts(lasting, ['a'])], [[undefined, undefined], ['1']]);
    },
  },
];
