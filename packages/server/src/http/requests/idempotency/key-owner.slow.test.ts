import { expect, it } from 'vitest';
import { partial } from '../../../../../../test/fixtures/partial.ts';
import { until } from '../../../../../../test/fixtures/server.ts';
import { memoryStore, type Store } from '../../../../../storage/src/store.ts';
import { createIdempotency, type Repeatable } from './idempotency.ts';
import { type KeyLease, type KeyOwner, storedOwner } from './key-owner.ts';

/** Long enough for every step of a test, except the wait for its end. */
const LEASE_MS = 2_000;
const WAIT_MS = 60_000;

function isHeld({ check }: KeyLease): boolean {
  try {
    check();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'OWNERSHIP_LOST' });
    return false;
  }
}

/** Opens the owner of a store that may be away. */
function openOwner(store: Store) {
  const state = { isAway: false, renewals: 0 };
  const unlessAway = <T>(work: () => Promise<T>) => (state.isAway ? Promise.reject(new Error('away')) : work());
  const owner: KeyOwner = storedOwner(
    {
      ...store,
      put: (...args) => unlessAway(() => store.put(...args)),
      touch: (...args) =>
        unlessAway(async () => {
          const isRenewed = await store.touch(...args);
          if (isRenewed) state.renewals++;
          return isRenewed;
        }),
    },
    LEASE_MS,
  );
  return { owner, state };
}

it('renews a lease while its process lives, and others see its end', async () => {
  const store = memoryStore();
  const [{ owner: one, state }, { owner: other }] = [openOwner(store), openOwner(store)];
  const lease = await one.lease();
  expect([one.isOwn(lease.id), other.isOwn(lease.id), one.folder() === other.folder()]).toEqual([true, false, true]);
  await until(() => state.renewals >= 3, WAIT_MS);
  expect([(await one.lease()).id, await other.end(lease.id)]).toEqual([lease.id, false]);
  await one.close();
  await until(() => other.end(lease.id), WAIT_MS);
  await until(() => !isHeld(lease), WAIT_MS);
  await other.close();
});

it('takes a new lease after a loss, and is not ready while none can be had', async () => {
  const store = memoryStore();
  const { owner, state } = openOwner(store);
  expect(owner.isReady()).toBe(true);
  const lost = await owner.lease();
  state.isAway = true;
  await until(() => !isHeld(lost), WAIT_MS);
  expect(owner.isReady()).toBe(false);
  await expect(owner.lease()).rejects.toThrow('away');
  expect(owner.isReady()).toBe(false);
  state.isAway = false;
  await until(owner.isReady, WAIT_MS);
  const next = await owner.lease();
  expect([next.id === lost.id, isHeld(next), isHeld(lost), owner.isOwn(next.id), owner.isOwn(lost.id)]).toEqual([
    ...[false, true, false, true, false],
  ]);
  await until(() => owner.end(lost.id), WAIT_MS);
  await owner.close();
});

it('takes a new lease at once when the store has ended its own', async () => {
  const store = memoryStore();
  const { owner } = openOwner(store);
  const lost = await owner.lease();
  await store.delete(`process:${lost.id}`);
  await until(() => !isHeld(lost), WAIT_MS);
  const [next, same] = await Promise.all([owner.lease(), owner.lease()]);
  expect([next.id === lost.id, next.id === same.id, isHeld(next)]).toEqual([false, true, true]);
  await owner.close();
});

it('in a cluster, another machine takes over the key of a process that died before its work', async () => {
  const shared: Store = { ...memoryStore(), name: 'postgres' };
  const logger = { error: () => undefined };
  const ask: Repeatable<unknown> = {
    user: 'ada',
    key: 'k',
    request: [{ a: 1 }],
    meanwhile: 'refuse',
    isStored: true,
    mayHaveEffects: () => true,
    recover: async () => 'unknown',
  };
  const dead = createIdempotency({ store: shared, dataDir: '/machine/1', logger: partial(logger) });
  const next = createIdempotency({ store: shared, dataDir: '/machine/2', logger: partial(logger) });
  await dead.once(ask, () => Promise.reject(new Error('killed'))).catch(() => 0);
  await expect(next.once(ask, async () => 'done')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  await dead.close();
  for await (const name of shared.namespaces('process:')) await shared.delete(name);
  expect(await next.once(ask, async () => 'done')).toEqual({ value: 'done', isReplay: false });
  await next.close();
});
