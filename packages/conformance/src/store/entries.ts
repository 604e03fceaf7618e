import assert from 'node:assert/strict';
import { listed, type StoreCase, texts } from './case.ts';

/** More than one page of a list, and more than one packet of any wire format. */
const MANY = 5_000;
const LARGE_BYTES = 1024 * 1024;
const ODD_KEYS = ['end', ':', '*', "it's", '__proto__', 'snow ☃ 𝄞', 'a:b:c', ' ', '[x]', 'new\nline'];

export const ENTRY_CASES: readonly StoreCase[] = [
  {
    name: 'returns written values in the requested order, and undefined for missing keys',
    async run(run) {
      const { store, namespace } = run;
      assert.deepEqual(await texts(run, ['a']), [undefined]);
      const written = await store.put(namespace, [
        { key: 'a', value: 'one' },
        { key: 'b', value: 'two' },
      ]);
      assert.deepEqual(
        [written, await texts(run, ['b', 'x', 'a', 'b'])],
        [
          [true, true],
          ['two', undefined, 'one', 'two'],
        ],
      );
      await store.put(namespace, [{ key: 'a', value: 'three' }]);
      assert.deepEqual([await texts(run, ['a']), await texts(run, [])], [['three'], []]);
    },
  },
  {
    name: 'stores bytes unchanged, and returns text as bytes',
    async run({ store, namespace }) {
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      await store.put(namespace, [
        { key: 'bytes', value: new Uint8Array(bytes) },
        { key: 'text', value: 'snow ☃ 𝄞 \0' },
        { key: 'empty', value: '' },
        { key: 'large', value: Buffer.alloc(LARGE_BYTES, 7) },
      ]);
      const [same, text, empty, large] = await store.get(namespace, ['bytes', 'text', 'empty', 'large']);
      assert.ok(Buffer.isBuffer(same) && same.equals(bytes));
      assert.deepEqual([text?.toString(), empty?.length], ['snow ☃ 𝄞 \0', 0]);
      assert.ok(large?.equals(Buffer.alloc(LARGE_BYTES, 7)));
    },
  },
  {
    name: 'accepts any text as a key and as the name of a namespace',
    async run({ store, namespace }) {
      const changes = ODD_KEYS.map((key) => ({ key, value: `value of ${key}` }));
      await store.put(`${namespace} *[a]?☃`, changes, { maxMs: 60_000 });
      const run = { store, other: store, namespace: `${namespace} *[a]?☃` };
      assert.deepEqual(
        await texts(run, ODD_KEYS),
        changes.map(({ value }) => value),
      );
      assert.equal((await listed(run)).length, ODD_KEYS.length);
      const names: string[] = [];
      for await (const name of store.namespaces(`${namespace} *[a]`)) names.push(name);
      assert.deepEqual(names, [run.namespace]);
    },
  },
  {
    name: 'keeps namespaces apart, including names with a common prefix',
    async run({ store, namespace }) {
      await store.put(namespace, [{ key: 'a', value: '1' }]);
      await store.put(`${namespace}:b`, [{ key: 'a', value: '2' }]);
      await store.delete(namespace);
      const values = [await store.get(namespace, ['a']), await store.get(`${namespace}:b`, ['a'])];
      assert.deepEqual(
        values.map(([value]) => value?.toString()),
        [undefined, '2'],
      );
    },
  },
  {
    name: 'writes only where the stored value equals `was`',
    async run(run) {
      const { store, namespace } = run;
      const first = await store.put(namespace, [
        { key: 'a', value: '1', was: null },
        { key: 'a', value: '2', was: null },
        { key: 'b', value: '3', was: Buffer.from('x') },
      ]);
      assert.deepEqual(
        [first, await texts(run, ['a', 'b'])],
        [
          [true, false, false],
          ['1', undefined],
        ],
      );
      const second = await store.put(namespace, [
        { key: 'a', value: '4', was: Buffer.from('0') },
        { key: 'a', value: '5', was: Buffer.from('1') },
        { key: 'e', value: '', was: null },
        { key: 'e', value: '6', was: Buffer.from('') },
      ]);
      assert.deepEqual(
        [second, await texts(run, ['a', 'b', 'e'])],
        [
          [false, true, true, true],
          ['5', undefined, '6'],
        ],
      );
    },
  },
  {
    name: 'writes the new ones of many entries, once each',
    async run(run) {
      const { store, namespace } = run;
      await store.put(namespace, [{ key: 'key 70', value: 'old' }]);
      const keys = [...Array.from({ length: 170 }, (_, index) => `key ${index}`), 'key 130'];
      const changes = keys.map((key, index) => ({ key, value: String(index), was: null }));
      const replaced = { key: 'key 70', value: 'new', was: Buffer.from('old') };
      const written = await store.put(namespace, [...changes.slice(0, 100), replaced, ...changes.slice(100)]);
      const refused = written.flatMap((isWritten, index) => (isWritten ? [] : [index]));
      assert.deepEqual(refused, [70, 171]);
      const values = await texts(run, keys);
      assert.deepEqual(
        values,
        keys.map((key) => (key === 'key 70' ? 'new' : key.slice('key '.length))),
      );
    },
  },
  {
    name: 'lets one of several concurrent writers create a key',
    async run({ store, other, namespace }) {
      const tries = Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? store : other).put(namespace, [{ key: 'lock', value: String(index), was: null }]),
      );
      const winners = (await Promise.all(tries)).flatMap(([written], index) => (written ? [String(index)] : []));
      const [value] = await store.get(namespace, ['lock']);
      assert.deepEqual(winners, [value?.toString()]);
    },
  },
  {
    name: `writes, reads, lists and removes ${MANY} entries in one call each`,
    async run(run) {
      const { store, other, namespace } = run;
      const keys = Array.from({ length: MANY }, (_, index) => `key ${index}`);
      const written = await store.put(
        namespace,
        keys.map((key) => ({ key, value: `value of ${key}`, was: null })),
      );
      assert.ok(written.length === MANY && written.every(Boolean));
      const values = await other.get(namespace, keys);
      assert.ok(keys.every((key, index) => values[index]?.toString() === `value of ${key}`));
      const all = await listed(run);
      assert.deepEqual(all.length, MANY);
      await store.delete(namespace, keys.slice(1));
      assert.deepEqual(await listed(run), [['key 0', 'value of key 0']]);
    },
  },
  {
    name: 'lists a namespace from its first entry to the removal of its last',
    async run({ store, namespace }) {
      const names = async () => {
        const found: string[] = [];
        for await (const name of store.namespaces(namespace)) found.push(name);
        return found.sort();
      };
      await store.put(`${namespace}:1`, [{ key: 'a', value: '1' }], { idleMs: 60_000, maxMs: 60_000 });
      await store.increment(`${namespace}:2`, { a: 1 });
      await store.put(`${namespace}:3`, [{ key: 'a', value: '1', was: Buffer.from('x') }], { maxMs: 60_000 });
      assert.deepEqual(await names(), [`${namespace}:1`, `${namespace}:2`]);
      await store.delete(`${namespace}:1`, ['a', 'b']);
      await store.delete(`${namespace}:2`);
      await store.delete(`${namespace}:4`);
      assert.deepEqual([await names(), await store.touch(`${namespace}:1`, {})], [[], false]);
    },
  },
  {
    name: 'returns copies: a change to a value does not change the store',
    async run({ store, namespace }) {
      const value = Buffer.from('abc');
      await store.put(namespace, [{ key: 'a', value }]);
      value.fill(0);
      (await store.get(namespace, ['a']))[0]?.fill(0);
      assert.equal((await store.get(namespace, ['a']))[0]?.toString(), 'abc');
    },
  },
  {
    name: 'rejects calls after closing with CLOSED',
    async run({ other, namespace }) {
      await other.put(namespace, [{ key: 'a', value: '1' }]);
      await other[Symbol.asyncDispose]();
      await assert.rejects(other.get(namespace, ['a']), { code: 'CLOSED' });
      await assert.rejects(other.put(namespace, []), { code: 'CLOSED' });
    },
  },
];
