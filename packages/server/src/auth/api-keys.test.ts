import { expect, it } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { memoryStore } from '../../../storage/src/store.ts';
import { apiKeys } from './api-keys.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the contents of a store as text. */
async function contents(store: ReturnType<typeof memoryStore>): Promise<string> {
  const all: string[] = [];
  for await (const name of store.namespaces('')) {
    for await (const page of store.list(name)) all.push(...page.map(({ key, value }) => `${key}=${value}`));
  }
  return all.join('\n');
}

it('creates keys of 256 random bits, and stores only a salted hash', async () => {
  await using store = memoryStore();
  const keys = apiKeys(store);
  expect(await keys.hasKeys()).toBe(false);
  const { key, text } = await keys.create({ user: 'ada', name: 'laptop' });
  const [, id, secret = ''] = /^twk_([0-9a-f]{16})_([0-9a-f]{64})$/.exec(text) ?? [];
  expect(id).toBe(key.id);
  expect(await contents(store)).toContain(key.id);
  expect(await contents(store)).not.toContain(secret);
  expect(await keys.hasKeys()).toBe(true);
  expect(await keys.check(text)).toEqual({ is: 'valid', key });

  const other = await keys.create({ user: 'ada' });
  const hashes = [...(await contents(store)).matchAll(/"(?:hash|salt)":"(\w+)"/g)].map(([, hex]) => hex);
  expect(new Set(hashes).size).toBe(4);
  expect(other.text).not.toBe(text);
});

it('refuses any other text, also a similar one', async () => {
  await using store = memoryStore();
  const keys = apiKeys(store);
  const { text } = await keys.create({ user: 'ada' });
  const { text: other } = await keys.create({ user: 'bob' });
  const changed = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
  const mixed = other.slice(0, 21) + text.slice(21);
  const wrong = [
    '',
    'twk_',
    text.slice(0, -1),
    `${text}0`,
    text.toUpperCase(),
    changed,
    mixed,
    `${text}\n`,
    '__proto__',
  ];
  for (const guess of wrong) expect(await keys.check(guess), guess).toEqual({ is: 'unknown' });
});

it('refuses a key at once after its expiry or revocation', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  await using store = memoryStore();
  const keys = apiKeys(store, () => now);
  const { key, text } = await keys.create({ user: 'ada', expiresDays: 2 });
  expect(key.expiresAt).toBe('2026-01-03T00:00:00.000Z');
  now += 2 * DAY_MS - 1;
  expect((await keys.check(text)).is).toBe('valid');
  now += 1;
  expect(await keys.check(text)).toEqual({ is: 'expired' });
  // With a wrong secret, the answer does not reveal that the key exists and has expired.
  expect(await keys.check(`${text.slice(0, -4)}0000`)).toEqual({ is: 'unknown' });
  expect(await keys.hasKeys()).toBe(true);
  expect(await keys.revoke(key.id)).toBe(true);
  expect(await keys.revoke(key.id)).toBe(false);
  expect(await keys.check(text)).toEqual({ is: 'unknown' });
  expect(await keys.hasKeys()).toBe(false);
});

it('returns the last use of a key to the minute', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  await using store = memoryStore();
  const keys = apiKeys(store, () => now);
  const { text } = await keys.create({ user: 'ada' });
  expect((await keys.list(() => undefined))[0]?.lastUsedAt).toBeUndefined();
  await keys.check(text);
  now += 30_000;
  await keys.check(text);
  expect((await keys.list(() => undefined))[0]?.lastUsedAt).toBe('2026-01-01T00:00:00.000Z');
  now += 30_000;
  await keys.check(text);
  expect((await keys.list(() => undefined))[0]?.lastUsedAt).toBe('2026-01-01T00:01:00.000Z');
});

it.each([
  [{ user: '' }],
  [{ user: ' ada' }],
  [{ user: 'a\nb' }],
  [{ user: 'a\u202eb' }],
  [{ user: 'a'.repeat(257) }],
  [{ user: 'ada', name: '' }],
  [{ user: 'ada', expiresDays: 0 }],
  [{ user: 'ada', expiresDays: 3_651 }],
])('refuses to create a key for %j', async (wanted) => {
  await using store = memoryStore();
  expect((await failureOf(apiKeys(store).create(wanted))).code).toBe('CONFIG_INVALID');
});

it('lists whole keys, and the ids of damaged entries, which can be revoked', async () => {
  await using store = memoryStore();
  const keys = apiKeys(store);
  await keys.create({ user: 'ada' });
  await store.put('api-keys', [{ key: 'broken', value: '{"id":"broken"}' }]);
  await store.put('api-keys', [{ key: 'torn', value: '{"id":' }]);
  const damaged: string[] = [];
  expect(await keys.list((id) => damaged.push(id))).toMatchObject([{ user: 'ada' }]);
  expect(damaged.sort()).toEqual(['broken', 'torn']);
  expect(await keys.revoke('torn')).toBe(true);
  expect(await keys.revoke('broken')).toBe(true);
  expect(await keys.list(() => undefined)).toHaveLength(1);
});

it('accepts a key when the store cannot write, as on a full disk', async () => {
  await using store = memoryStore();
  const { text } = await apiKeys(store).create({ user: 'ada' });
  const full = { ...store, put: () => Promise.reject(new Error('no space left')) };
  expect((await apiKeys(full).check(text)).is).toBe('valid');
});
