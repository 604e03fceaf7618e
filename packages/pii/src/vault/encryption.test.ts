import { describe, expect, it } from 'vitest';
import { type Keyring, keyringOf, newKeyring } from './keys/master-key.ts';
import { rotateVaults } from './keys/rotation.ts';
import { namespaceOf } from './keys/session-key.ts';
import { memoryStore } from './memory-store.ts';
import { openVault } from './vault.ts';

const owner = { user: 'ada', session: 's1' };
const namespace = namespaceOf(owner);
const email = (text: string) => ({ type: 'EMAIL', text });
const ring = (...letters: string[]): Keyring =>
  keyringOf(
    letters.map((letter) => letter.repeat(64)),
    'the test',
  );
const message = 'An entry of the vault is damaged, was changed, or was moved. It was not restored.';
const CORRUPT = { code: 'VAULT_CORRUPT', message: expect.stringContaining(message) };

/** Returns a store with a vault of two values, and the entries of their records. */
async function filled(keys = newKeyring()) {
  const store = memoryStore();
  const open = (other = keys) => openVault({ store, keys: other, ...owner });
  const entries: string[] = [];
  for (const text of ['ada@example.com', 'bob@example.com']) {
    await open().allocate([email(text)]);
    for await (const page of store.list(namespace)) {
      entries.push(...page.map(({ key }) => key).filter((key) => key.startsWith('page:') && !entries.includes(key)));
    }
  }
  const [first = '', second = ''] = entries;
  return { store, keys, open, first, second };
}

describe('a vault', () => {
  it('of another master key is locked, with the id of the missing key', async () => {
    const { open } = await filled(ring('a'));
    const [needed, given] = [ring('a'), ring('b', 'c')].map(({ byId }) => [...byId.keys()].join(', '));
    for (const use of [
      open(ring('b', 'c')).find(['EMAIL_1']),
      open(ring('b', 'c')).allocate([email('x@example.com')]),
    ]) {
      await expect(use).rejects.toMatchObject({
        code: 'VAULT_LOCKED',
        message: expect.stringContaining(`locked with the master key ${needed}. The configured keys are: ${given}.`),
      });
    }
  });

  it.each([0, 5, 12, 25, 40])('with a changed byte %i in a record or in its key opens nothing', async (at) => {
    for (const isKey of [false, true]) {
      const { store, open, first } = await filled();
      const key = isKey ? 'key' : first;
      const [sealed = Buffer.alloc(0)] = await store.get(namespace, [key]);
      sealed[at] = (sealed[at] ?? 0) ^ 1;
      await store.put(namespace, [{ key, value: sealed }]);
      const found = open().find(['EMAIL_1']);
      // A record with the key id of another key does not belong to this vault. A key with the id of another key is
      // locked.
      if (key !== 'key' && at === 5) expect((await found).size).toBe(0);
      else if (at === 5) await expect(found).rejects.toMatchObject({ code: 'VAULT_LOCKED' });
      else await expect(found).rejects.toMatchObject(CORRUPT);
    }
  });

  it('opens no record in the place of another, of this session or of another', async () => {
    const { store, keys, open, ...entries } = await filled();
    const [first = '', second = ''] = await store.get(namespace, [entries.first, entries.second]);
    await store.put(namespace, [{ key: entries.second, value: first }]);
    await expect(open().find(['EMAIL_2'])).rejects.toMatchObject(CORRUPT);
    const other = { ...owner, session: 's2' };
    const [key = ''] = await store.get(namespace, ['key']);
    const [log1 = '', log2 = ''] = await store.get(namespace, ['log:1', 'log:2']);
    await store.put(namespaceOf(other), [
      { key: 'key', value: key },
      { key: 'log:1', value: log1 },
      { key: 'log:2', value: log2 },
      { key: entries.second, value: second },
    ]);
    await expect(openVault({ store, keys, ...other }).find(['EMAIL_2'])).rejects.toMatchObject(CORRUPT);
  });

  it('detects an index entry that was changed to another value', async () => {
    const { store, open } = await filled();
    for await (const page of store.list(namespace)) {
      const entries = page.filter(({ key }) => key.startsWith('index:'));
      await store.put(
        namespace,
        entries.map(({ key }) => ({ key, value: 'EMAIL_1' })),
      );
    }
    await expect(open().allocate([email('bob@example.com')])).rejects.toMatchObject(CORRUPT);
  });

  it('reuses no number after a reset of the counter, and allocates again after a loss of a page', async () => {
    const { store, open, second } = await filled();
    await store.put(namespace, [{ key: 'count:EMAIL', value: '0' }]);
    expect(await open().allocate([email('eve@example.com')])).toEqual(['EMAIL_3']);
    await store.delete(namespace, [second]);
    expect(await open().allocate([email('bob@example.com'), email('ada@example.com')])).toEqual(['EMAIL_4', 'EMAIL_1']);
  });
});

describe('rotation', () => {
  it('wraps all vaults with the new key while they are in use; then the old key is unnecessary', async () => {
    const { store, open } = await filled(ring('a'));
    await openVault({ store, keys: ring('a'), user: 'bob', session: 's1' }).allocate([email('bob@example.com')]);
    const inUse = open(ring('b', 'a'));
    await inUse.find(['EMAIL_1']);
    expect(await rotateVaults(store, ring('b', 'a'))).toEqual({ rewrapped: 2, current: 0 });
    expect(await rotateVaults(store, ring('b', 'a'))).toEqual({ rewrapped: 0, current: 2 });
    expect(await inUse.allocate([email('bob@example.com'), email('eve@example.com')])).toEqual(['EMAIL_2', 'EMAIL_3']);
    expect((await open(ring('b')).find(['EMAIL_1', 'EMAIL_3'])).size).toBe(2);
    await expect(open(ring('a')).find(['EMAIL_1'])).rejects.toMatchObject({ code: 'VAULT_LOCKED' });
  });

  it('stops at a vault whose key is missing', async () => {
    const { store } = await filled(ring('a'));
    await expect(rotateVaults(store, ring('b'))).rejects.toMatchObject({ code: 'VAULT_LOCKED' });
  });
});
