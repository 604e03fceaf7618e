import { expect, it } from 'vitest';
import { VAULT_PLACES } from '../../../../test/fixtures/vaults.ts';
import { newKeyring } from './keys/master-key.ts';
import { rotateVaults } from './keys/rotation.ts';
import { createKey, namespaceOf, openKey } from './keys/session-key.ts';
import { memoryStore } from './memory-store.ts';
import { hasRecords, openPage, pageEntry, recordEntry } from './page.ts';
import { indexEntry } from './records/index-entry.ts';
import { sealRecord } from './records/record.ts';
import type { Entry, Store } from './store.ts';
import { openVault } from './vault.ts';

const owner = { user: 'ada', session: 's1' };
const namespace = namespaceOf(owner);
const email = (text: string) => ({ type: 'EMAIL', text });
const CORRUPT = { code: 'VAULT_CORRUPT' };
const many = Array.from({ length: 120 }, (_, index) => email(`user${index}@example.com`));

/** Opens vaults of one session, like separate processes. */
function vaultsOf(store: Store, keys = newKeyring()) {
  return { keys, open: () => openVault({ store, keys, ...owner }) };
}

async function entriesOf(store: Store, prefix = ''): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const page of store.list(namespace)) all.push(...page.filter(({ key }) => key.startsWith(prefix)));
  return all;
}

/** Decrypts all records in the store. */
async function recordsOf(store: Store, keys: ReturnType<typeof newKeyring>) {
  const [wrapped = Buffer.alloc(0)] = await store.get(namespace, ['key']);
  const session = openKey(wrapped, owner, keys);
  const entries = (await entriesOf(store)).filter(({ key }) => hasRecords(key));
  return entries.flatMap(({ key, value }) => openPage(session.records, owner, key, value));
}

/** Writes a vault in the earlier format: an entry for each record, and names in the log and in the index. */
async function writeEarlier(store: Store, keys: ReturnType<typeof newKeyring>, addresses: readonly string[]) {
  const session = openKey(await createKey(store, owner, keys, { resumed: false, lifetime: {} }), owner, keys);
  const names: string[] = [];
  for (const [index, text] of addresses.entries()) {
    const spellings = [{ text, sources: ['crm'] }] as const;
    const known = { name: `EMAIL_${index + 1}`, type: 'EMAIL', numeric: false, canonical: text, spellings };
    names.push(known.name);
    await store.put(namespace, [
      { key: recordEntry(known.name), value: sealRecord(session.records, owner, known) },
      { key: indexEntry(session, known), value: known.name },
    ]);
  }
  await store.put(namespace, [
    { key: 'log:1', value: JSON.stringify(names) },
    { key: 'count:EMAIL', value: String(names.length) },
  ]);
}

for (const place of VAULT_PLACES) {
  place.describe(`pages in ${place.name}`, () => {
    it('hold many records, take new spellings in another process, and lose forgotten values', async () => {
      const { open: openStore, stop } = await place.start();
      try {
        const store = openStore();
        const { keys, open } = vaultsOf(store);
        const [one, two] = [open(), open()];
        const names = await one.allocate(many, 'crm');
        expect((await entriesOf(store, 'page:')).length).toBe(3);
        await two.allocate([email('user7@EXAMPLE.com')], 'mail');
        expect((await one.find(['EMAIL_8'])).get('EMAIL_8')?.spellings).toEqual([
          { text: 'user7@example.com', sources: ['crm'] },
          { text: 'user7@EXAMPLE.com', sources: ['mail'] },
        ]);
        expect(await two.forget('user7@example.com')).toBe(1);
        const texts = (await recordsOf(store, keys)).map(({ canonical }) => canonical);
        expect([texts.length, texts.includes('user7@example.com')]).toEqual([many.length - 1, false]);
        expect(await one.allocate(many, 'crm')).toEqual(names.map((name) => (name === 'EMAIL_8' ? 'EMAIL_121' : name)));
        expect((await open().known()).list.length).toBe(many.length);
      } finally {
        await stop();
      }
    });

    it('have one record of a value that several processes allocate at once', async () => {
      const { open: openStore, stop } = await place.start();
      try {
        const { keys, open } = vaultsOf(openStore());
        const vaults = [open(), open(), open()];
        const names = await Promise.all(
          vaults.map((vault, at) => vault.allocate([...many.slice(at * 30), ...many.slice(0, at * 30)])),
        );
        const pairs = names.flatMap((all, at) =>
          all.map((name, index) => `${name} ${many[(index + at * 30) % many.length]?.text}`),
        );
        expect(new Set(pairs).size).toBe(many.length);
        const stored = await recordsOf(openStore(), keys);
        expect(stored.map(({ name, canonical }) => `${name} ${canonical}`).sort()).toEqual([...new Set(pairs)].sort());
      } finally {
        await stop();
      }
    });
  });
}

it('a page with a changed bit, of another id or of another session opens nothing', async () => {
  const store = memoryStore();
  const { keys, open } = vaultsOf(store);
  await open().allocate(many.slice(0, 20));
  await open().allocate([email('other@example.com')]);
  const [first, second] = await entriesOf(store, 'page:');
  if (first === undefined || second === undefined) throw new Error('no pages');
  for (let at = 1; at < first.value.length; at += 37) {
    const value = Buffer.from(first.value);
    value[at] = (value[at] ?? 0) ^ 1;
    await store.put(namespace, [{ key: first.key, value }]);
    // The id of another key: the page does not belong to this vault.
    if (at <= 8) expect((await open().find(['EMAIL_1'])).size).toBe(0);
    else await expect(open().find(['EMAIL_1'])).rejects.toMatchObject(CORRUPT);
  }
  await store.put(namespace, [{ key: first.key, value: second.value }]);
  const uses = [open().find(['EMAIL_1']), open().known(), open().allocate(many.slice(0, 1))];
  await Promise.all(uses.map((use) => expect(use).rejects.toMatchObject(CORRUPT)));
  const other = { ...owner, session: 's2' };
  await store.put(namespaceOf(other), [
    ...(await entriesOf(store)).filter(({ key }) => key !== first.key),
    { key: first.key, value: first.value },
  ]);
  await expect(openVault({ store, keys, ...other }).find(['EMAIL_1'])).rejects.toMatchObject(CORRUPT);
});

it('a vault of the earlier format keeps its placeholders, takes spellings, forgets, and continues with pages', async () => {
  const store = memoryStore();
  const { keys, open } = vaultsOf(store);
  await writeEarlier(store, keys, ['a@example.com', 'b@example.com', 'c@example.com']);
  const later = open();
  expect((await later.known()).list.map(({ name }) => name)).toEqual(['EMAIL_1', 'EMAIL_2', 'EMAIL_3']);
  const values = ['b@EXAMPLE.com', 'd@example.com', 'a@example.com'].map(email);
  expect(await open().allocate(values, 'mail')).toEqual(['EMAIL_2', 'EMAIL_4', 'EMAIL_1']);
  expect((await later.find(['EMAIL_2'])).get('EMAIL_2')?.spellings).toEqual([
    { text: 'b@example.com', sources: ['crm'] },
    { text: 'b@EXAMPLE.com', sources: ['mail'] },
  ]);
  expect(await later.forget('[EMAIL_1]')).toBe(1);
  expect((await recordsOf(store, keys)).map(({ name }) => name).sort()).toEqual(['EMAIL_2', 'EMAIL_3', 'EMAIL_4']);
  expect(await open().allocate(values, 'mail')).toEqual(['EMAIL_2', 'EMAIL_4', 'EMAIL_5']);
});

it('a record of a process that was slower never resolves, and its value is forgotten with the other record', async () => {
  const store = memoryStore();
  const { keys, open } = vaultsOf(store);
  await open().allocate(many.slice(0, 3));
  // The process ends after its page is written: another process had won the index entry.
  const [index] = await entriesOf(store, 'index:');
  await store.put(namespace, [{ key: index?.key ?? '', value: 'EMAIL_9 other' }]);
  const found = await open().find(['EMAIL_1', 'EMAIL_2', 'EMAIL_3']);
  expect(found.size).toBe(2);
  const lost = many.slice(0, 3).find(({ text }) => ![...found.values()].some(({ canonical }) => canonical === text));
  expect((await open().known()).list.length).toBe(2);
  const [renamed = ''] = await open().allocate(lost ? [lost] : []);
  expect(['EMAIL_1', 'EMAIL_2', 'EMAIL_3', 'EMAIL_9']).not.toContain(renamed);
  expect((await recordsOf(store, keys)).filter(({ canonical }) => canonical === lost?.text).length).toBe(2);
  expect(await open().forget(`[${renamed}]`)).toBe(1);
  expect((await recordsOf(store, keys)).filter(({ canonical }) => canonical === lost?.text)).toEqual([]);
});

it('a value whose process ended before the log had its name keeps the name, in all processes', async () => {
  const store = memoryStore();
  const { open } = vaultsOf(store);
  await open().allocate(many.slice(0, 3));
  await store.delete(namespace, ['log:1']);
  expect(await open().allocate(many.slice(0, 2))).toEqual(['EMAIL_1', 'EMAIL_2']);
  expect((await open().find(['EMAIL_1', 'EMAIL_2'])).size).toBe(2);
});

it('a page outlives a rotation in the middle of its allocation', async () => {
  const [before, after] = [newKeyring(), newKeyring()];
  const both = { current: after.current, byId: new Map([...before.byId, ...after.byId]) };
  const store = memoryStore();
  await openVault({ store, keys: before, ...owner }).allocate(many.slice(0, 1));
  const rotating: Store = {
    ...store,
    async put(name, changes, lifetime) {
      if (changes.some(({ key }) => key.startsWith(pageEntry('')))) await rotateVaults(store, both);
      return store.put(name, changes, lifetime);
    },
  };
  const names = await openVault({ store: rotating, keys: both, ...owner }).allocate(many);
  expect(names).toEqual(many.map((_, index) => `EMAIL_${index + 1}`));
  expect((await openVault({ store, keys: after, ...owner }).find(names)).size).toBe(many.length);
});
