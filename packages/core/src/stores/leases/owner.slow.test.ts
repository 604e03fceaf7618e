import { readdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { isOwnerAlive, openOwner, ownersFolder, startOwner } from './owner.ts';
import { findLease, hasExpired, LEASE_TTL_MS, SYSTEM_CLOCK } from './process-lease.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts owners of one folder. The test advances the clock of each. */
function folderOf() {
  const folder = temporaryFolder();
  const start = () => {
    let [wall, monotonic] = [1_000_000, 0];
    const { owner, close } = startOwner(folder, { now: () => wall, monotonic: () => monotonic, machine: '0a1b2c3d' });
    closing.push(close);
    const pass = (ms: number) => {
      wall += ms;
      monotonic += ms;
    };
    const setClock = (ms: number) => {
      wall += ms;
    };
    return { owner, pass, setClock, close };
  };
  return { folder, start };
}

test('a living owner is alive for others, and nobody can end it', () => {
  const { start } = folderOf();
  const [one, other] = [start(), start()];
  const { id } = one.owner.lease();
  other.pass(LEASE_TTL_MS - 1);
  expect([other.owner.isAlive(id), other.owner.end(id)]).toEqual([true, false]);
  one.pass(LEASE_TTL_MS - 1);
  expect(one.owner.lease().id).toBe(id);
  other.pass(LEASE_TTL_MS / 2);
  expect(other.owner.isAlive(id)).toBe(true);
});

test('an expired owner is dead, and stays so when it continues', () => {
  const { start } = folderOf();
  const [one, other] = [start(), start()];
  const lease = one.owner.lease();
  other.pass(LEASE_TTL_MS);
  expect([other.owner.isAlive(lease.id), other.owner.end(lease.id)]).toEqual([false, true]);
  // Its own clock has not advanced, as in a machine that was suspended.
  one.pass(LEASE_TTL_MS / 2);
  expect(lease.isHeld()).toBe(false);
  expect(() => lease.check()).toThrow(expect.objectContaining({ code: 'OWNERSHIP_LOST' }));
  const next = one.owner.lease();
  expect([next.id === lease.id, next.isHeld(), lease.isHeld()]).toEqual([false, true, false]);
});

test('an owner that was paused for the time to live gives its lease up, also when nobody ended it', () => {
  const { folder, start } = folderOf();
  const one = start();
  const lost: string[] = [];
  one.owner.onLost((id) => lost.push(id));
  const lease = one.owner.lease();
  one.pass(LEASE_TTL_MS);
  expect([lease.isHeld(), readdirSync(folder)]).toEqual([false, []]);
  one.owner.lease();
  expect(lost).toEqual([lease.id]);
});

test('a clock that is set does not end a lease', () => {
  const { start } = folderOf();
  const one = start();
  const lease = one.owner.lease();
  for (const ms of [60_000, -3_600_000]) {
    one.setClock(ms);
    expect([lease.isHeld(), one.owner.isAlive(lease.id)]).toEqual([true, true]);
  }
});

test('all work of a process in one data folder has one lease, which its end releases', () => {
  const dataDir = temporaryFolder();
  const [one, two] = [openOwner(dataDir), openOwner(dataDir)];
  const { id } = one.lease();
  expect([two.lease().id, readdirSync(ownersFolder(dataDir)).length]).toEqual([id, 1]);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  expect(isOwnerAlive(dataDir, id)).toBe(true);
  two[Symbol.dispose]();
  expect([isOwnerAlive(dataDir, id), readdirSync(ownersFolder(dataDir))]).toEqual([false, []]);
});

test('a clock that is set does not let another process end the lease of a living one', () => {
  const { start } = folderOf();
  const [one, other] = [start(), start()];
  const { id } = one.owner.lease();
  for (const ms of [7_200_000, -14_400_000]) {
    for (const { setClock } of [one, other]) setClock(ms);
    expect([other.owner.isAlive(id), other.owner.end(id)]).toEqual([true, false]);
  }
  // Nor does it keep a dead one alive.
  other.pass(LEASE_TTL_MS);
  expect([other.owner.isAlive(id), other.owner.end(id)]).toEqual([false, true]);
});

test('a busy event loop loses no lease', async () => {
  const dataDir = temporaryFolder();
  const owner = openOwner(dataDir);
  closing.push(() => owner[Symbol.dispose]());
  const lost: string[] = [];
  owner.onLost((id) => lost.push(id));
  const lease = owner.lease();
  // Nothing of this thread runs meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEASE_TTL_MS + 2_000);
  const found = findLease(ownersFolder(dataDir), lease.id);
  expect([lease.isHeld(), owner.lease().id === lease.id, found && hasExpired(found, SYSTEM_CLOCK)]).toEqual([
    ...[true, true, false],
  ]);
  expect(lost).toEqual([]);
});
