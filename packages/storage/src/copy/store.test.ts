import { expect, test } from 'vitest';
import { memoryStore, type Store } from '../store.ts';
import { copyStore } from './store.ts';

async function contentOf(store: Store): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const namespace of store.namespaces(''))
    for await (const page of store.list(namespace))
      for (const { key, value } of page) found[`${namespace} ${key}`] = value.toString();
  return found;
}

test('copies all entries with the rest of their lifetimes, and leaves the source alone', async () => {
  const [from, to] = [memoryStore(), memoryStore()];
  await from.put('keys', [{ key: 'a', value: '1' }]);
  await from.put('vault:1', [{ key: 'b', value: 'x'.repeat(3 * 2 ** 20) }], { idleMs: 60_000, maxMs: 120_000 });
  await from.put('vault:1', [{ key: 'c', value: 'y'.repeat(3 * 2 ** 20) }]);
  const before = await contentOf(from);
  expect(await copyStore(from, to)).toEqual({ namespaces: 2, entries: 3, bytes: 6 * 2 ** 20 + 1 });
  expect(await contentOf(to)).toEqual(before);
  expect(await contentOf(from)).toEqual(before);
  const { idleMs = 0, maxMs = 0 } = (await to.remaining?.('vault:1')) ?? {};
  expect([idleMs <= 60_000, idleMs > 30_000, maxMs <= 120_000, maxMs > 60_000]).toEqual([true, true, true, true]);
  expect(await to.remaining?.('keys')).toEqual({});
});

test('refuses a target that has entries, unless it may overwrite them', async () => {
  const [from, to] = [memoryStore(), memoryStore()];
  await from.put('keys', [{ key: 'a', value: 'new' }]);
  await to.put('keys', [
    { key: 'a', value: 'old' },
    { key: 'b', value: 'other' },
  ]);
  await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await copyStore(from, to, { overwrite: true });
  expect(await contentOf(to)).toEqual({ 'keys a': 'new', 'keys b': 'other' });
});
