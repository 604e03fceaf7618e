import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { listed, type StoreCase, texts } from './case.ts';

/** Long enough for one step to take only a part of it on a busy machine. */
const SHORT_MS = 1_200;
const PAST_MS = SHORT_MS + 300;
const LONG_MS = 600_000;

export const LIFETIME_CASES: readonly StoreCase[] = [
  {
    name: 'removes a namespace that was not used for its idle time',
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
    name: 'removes a namespace at its absolute end, even while it is used',
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
    name: 'starts an expired namespace empty, with a new lifetime',
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
    name: 'returns the rest of a lifetime, if it can, and does not use the namespace',
    async run({ store, other, namespace }) {
      if (store.remaining === undefined) return;
      const [lasting, idle] = [`${namespace}:lasting`, `${namespace}:idle`];
      await store.put(lasting, [{ key: 'a', value: '1' }]);
      await store.put(idle, [{ key: 'a', value: '1' }], { idleMs: LONG_MS });
      await store.put(namespace, [{ key: 'a', value: '1' }], { idleMs: LONG_MS, maxMs: LONG_MS * 2 });
      await sleep(50);
      const { idleMs: noIdle, maxMs: noMax } = (await other.remaining?.(lasting)) ?? { idleMs: 0, maxMs: 0 };
      assert.deepEqual([noIdle, noMax], [undefined, undefined]);
      assert.equal(await other.remaining?.(`${namespace}:none`), undefined);
      for (const [name, most] of [
        [idle, undefined],
        [namespace, LONG_MS * 2],
      ] as const) {
        const { idleMs = 0, maxMs } = (await other.remaining?.(name)) ?? {};
        assert.ok(idleMs < LONG_MS && idleMs > LONG_MS / 2);
        assert.ok(most === undefined ? maxMs === undefined : Number(maxMs) < most && Number(maxMs) > LONG_MS);
      }
    },
  },
  {
    name: 'keeps a namespace without a lifetime, and keeps the lifetime of a write without one',
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
