import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sqliteStore } from '@toolwright/core';
import { dueTimesBy } from '@toolwright/core/internal';
import { memoryStore, type Store } from '@toolwright/pii';
import { describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../../../test/fixtures/partial.ts';
import { createIdempotency, MAX_USER_CHARACTERS, type Repeatable } from './idempotency.ts';
import { KEY_LIFETIME_MS, MAX_STORED_ANSWER_BYTES, MAX_USER_RECORDS } from './key-records.ts';

const logger = { error: () => undefined };
const ask: Repeatable<unknown> = {
  user: 'ada',
  key: 'k',
  request: [{ a: 1 }],
  meanwhile: 'refuse',
  isStored: true,
  mayHaveEffects: () => false,
  recover: async () => 'unknown',
};
const open = (store: Store = memoryStore(), now?: () => number, dataDir?: string) =>
  createIdempotency({ store, dataDir, logger: partial(logger), ...(now ? { dueTimes: dueTimesBy(now) } : {}) });

test('work without a key runs each time', async () => {
  const { once } = open();
  let done = 0;
  for (let time = 0; time < 2; time++) await once({ ...ask, key: undefined }, async () => ++done);
  expect(done).toBe(2);
});

test('a key belongs to one request of one user', async () => {
  const { once } = open();
  expect(await once(ask, async () => 1)).toEqual({ value: 1, isReplay: false });
  expect(await once(ask, async () => 2)).toEqual({ value: 1, isReplay: true });
  expect(await once({ ...ask, user: 'bob' }, async () => 3)).toEqual({ value: 3, isReplay: false });
  // A newer version has a further part, which this request has not.
  expect(await once({ ...ask, request: [{ a: 1 }, undefined] }, async () => 5)).toEqual({ value: 1, isReplay: true });
  await expect(once({ ...ask, request: [{ a: 2 }] }, async () => 4)).rejects.toMatchObject({ status: 422 });
});

test('a copy of a running request waits or is refused', async () => {
  const { once } = open();
  let end: (value: number) => void = () => undefined;
  let first: Promise<unknown> | undefined;
  await new Promise<void>((begun) => {
    const work = () =>
      new Promise<number>((resolve) => {
        end = resolve;
        begun();
      });
    first = once(ask, work);
  });
  await expect(once(ask, async () => 2)).rejects.toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
  const waiting = once({ ...ask, meanwhile: 'wait' }, async () => 3);
  end(1);
  expect([await first, await waiting]).toEqual([
    { value: 1, isReplay: false },
    { value: 1, isReplay: true },
  ]);
});
test('a key is free again after work without effects failed, and after its lifetime', async () => {
  let now = 0;
  const { once } = open(memoryStore(), () => now);
  await expect(once(ask, () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
  expect((await once(ask, async () => 1)).value).toBe(1);
  now = KEY_LIFETIME_MS + 1;
  expect((await once(ask, async () => 2)).value).toBe(2);
});

test('a key lives for 24 hours of this process, wherever the wall clock jumps', async () => {
  const store = memoryStore();
  const { once } = open(store);
  expect((await once(ask, async () => 1)).value).toBe(1);
  const moved = vi.spyOn(Date, 'now');
  const now = Date.now();
  for (const jumpMs of [40 * KEY_LIFETIME_MS, -40 * KEY_LIFETIME_MS]) {
    moved.mockReturnValue(now + jumpMs);
    expect(await once(ask, async () => 2)).toEqual({ value: 1, isReplay: true });
  }
  moved.mockRestore();
});

test('a key of failed work that may have had effects never starts work again', async () => {
  const { once } = open();
  const failing = { ...ask, mayHaveEffects: () => true, recover: async () => ({ value: 'record' }) };
  await expect(once(failing, () => Promise.reject(new Error('full disk')))).rejects.toThrow('full disk');
  expect(await once(failing, async () => 'again')).toEqual({ value: 'record', isReplay: true });
});

test('a user with too large answers loses the oldest ones, and other users keep theirs', async () => {
  const { once } = open();
  const large = 'x'.repeat(MAX_USER_CHARACTERS / 4);
  const recover = async () => ({ value: 'record' });
  await once({ ...ask, user: 'bob' }, async () => 'of bob');
  for (let index = 0; index < 5; index++) await once({ ...ask, recover, key: `k${index}` }, async () => large);
  expect((await once({ ...ask, recover, key: 'k4' }, async () => 'new')).value).toBe(large);
  expect(await once({ ...ask, recover, key: 'k0' }, async () => 'new')).toEqual({ value: 'record', isReplay: true });
  expect((await once({ ...ask, user: 'bob' }, async () => 'new')).isReplay).toBe(true);
});

test('a user has a bounded number of ended keys', async () => {
  const store = memoryStore();
  const { once } = open(store);
  for (let index = 0; index < MAX_USER_RECORDS + 250; index++) {
    await once({ ...ask, key: `k${index}` }, async () => index);
  }
  let count = 0;
  for await (const name of store.namespaces('idempotency:')) {
    for await (const page of store.list(name)) count += page.length;
  }
  expect(count).toBeLessThanOrEqual(MAX_USER_RECORDS + 100);
  expect((await once({ ...ask, key: `k${MAX_USER_RECORDS + 249}` }, async () => 'new')).isReplay).toBe(true);
});

describe('two servers on one store', () => {
  const path = join(temporaryFolder(), 'store.db');
  const [one, two] = [open(sqliteStore({ path })), open(sqliteStore({ path }))];

  test('run the work of a key once, with the id that the first one stored before', async () => {
    const key = randomUUID();
    const ids: string[] = [];
    const work = async (id: string) => ids.push(id);
    const ends = await Promise.allSettled([one, two, one, two].map(({ once }) => once({ ...ask, key }, work)));
    expect(ids).toHaveLength(1);
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    }
    expect(await two.once({ ...ask, key }, work)).toEqual({ value: 1, isReplay: true });
    await expect(two.once({ ...ask, key, request: ['other'] }, work)).rejects.toMatchObject({ status: 422 });
  });

  test('refuse a copy while the other server works, and answer a large answer from its record', async () => {
    const key = randomUUID();
    const large = 'x'.repeat(MAX_STORED_ANSWER_BYTES);
    let seen = '';
    await one.once({ ...ask, key }, async (id) => {
      seen = id;
      await expect(two.once({ ...ask, key }, async () => 'again')).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        options: { headers: { 'retry-after': '2' } },
      });
      const running = { ...ask, key, recover: async () => 'running' as const };
      await expect(two.once(running, async () => 'again')).rejects.toMatchObject({ status: 409 });
      return large;
    });
    const recover = async (id: string) => ({ value: id });
    expect(await two.once({ ...ask, key, recover }, async () => 'again')).toEqual({ value: seen, isReplay: true });
  });
});

test('a key whose process died before its work started is taken over once', async () => {
  const store = memoryStore();
  const dataDir = temporaryFolder();
  const key = randomUUID();
  // The process is this one: its record is then changed to that of a dead process.
  await open(store, undefined, dataDir)
    .once({ ...ask, key, mayHaveEffects: () => true }, () => Promise.reject(new Error('x')))
    .catch(() => 0);
  for await (const name of store.namespaces('idempotency:')) {
    for await (const page of store.list(name)) {
      for (const entry of page) {
        const record = JSON.parse(entry.value.toString());
        const owner = { ...record.owner, lease: randomUUID(), instance: 'dead' };
        await store.put(name, [{ key: entry.key, value: JSON.stringify({ ...record, owner }) }]);
      }
    }
  }
  let done = 0;
  const [next, other, foreign] = [dataDir, dataDir, temporaryFolder()].map((at) => open(store, undefined, at));
  // A process with another data folder cannot see whether the owner lives, so it never takes its key over.
  await expect(foreign?.once({ ...ask, key }, async () => ++done)).rejects.toMatchObject({ status: 409 });
  await Promise.allSettled([next, other].map((server) => server?.once({ ...ask, key }, async () => ++done)));
  expect(done).toBe(1);
});
