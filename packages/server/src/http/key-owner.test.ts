import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { memoryStore, type Store } from '../../../core/src/stores/store.ts';
import { createIdempotency, type Repeatable } from './idempotency.ts';
import { storedOwner } from './key-owner.ts';

const LEASE_MS = 400;

it('a lease lasts while its process lives, and never returns after its end', async () => {
  const store = memoryStore();
  const [one, other] = [storedOwner(store, LEASE_MS), storedOwner(store, LEASE_MS)];
  const lease = await one.lease();
  expect([one.isOwn(lease.id), other.isOwn(lease.id), one.folder() === other.folder()]).toEqual([true, false, true]);
  await sleep(2 * LEASE_MS);
  lease.check();
  expect(await other.end(lease.id)).toBe(false);
  one.close();
  await sleep(2 * LEASE_MS);
  expect(await other.end(lease.id)).toBe(true);
  expect(lease.check).toThrow(expect.objectContaining({ code: 'OWNERSHIP_LOST' }));
  other.close();
});

it('a process whose store is away loses its lease', async () => {
  const store = memoryStore();
  let isAway = false;
  const owner = storedOwner(
    { ...store, touch: (...args) => (isAway ? Promise.reject(new Error('away')) : store.touch(...args)) },
    LEASE_MS,
  );
  const lease = await owner.lease();
  lease.check();
  isAway = true;
  await sleep(2 * LEASE_MS);
  expect(lease.check).toThrow(/could not renew its lease for 400 ms/);
  owner.close();
});

it('in a cluster, another machine takes over the key of a process that died before its work', async () => {
  const shared: Store = { ...memoryStore(), name: 'postgres' };
  const logger = { error: () => undefined };
  const ask: Repeatable<unknown> = {
    ...{ user: 'ada', key: 'k', request: { a: 1 }, meanwhile: 'refuse', isStored: true },
    mayHaveEffects: () => true,
    recover: async () => 'unknown',
  };
  const dead = createIdempotency({ store: shared, dataDir: '/machine/1', logger });
  const next = createIdempotency({ store: shared, dataDir: '/machine/2', logger });
  await dead.once(ask, () => Promise.reject(new Error('killed'))).catch(() => 0);
  await expect(next.once(ask, async () => 'done')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  dead.close();
  for await (const name of shared.namespaces('process:')) await shared.delete(name);
  expect(await next.once(ask, async () => 'done')).toEqual({ value: 'done', isReplay: false });
  next.close();
});
