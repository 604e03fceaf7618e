import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { until } from '../../../../test/fixtures/server.ts';
import { bundleProgram } from '../../../../test/fixtures/sources.ts';
import { monotonicMs, thisMachine } from '../clocks/machine-clock.ts';
import { openSqlite } from '../sqlite/database.ts';
import { countLivingOwners, LEASE_TTL_MS, openOwner, requireNoFormerProcess, startOwner } from './owner.ts';
import { hasProcessEnded, processName } from './process-name.ts';

afterEach(() => void vi.restoreAllMocks());

/** Starts owners of one folder, like several processes. `pass` lets the time to live of a lease pass for the others. */
function folderOf() {
  const dataDir = temporaryFolder();
  const path = join(dataDir, 'state.db');
  const start = () => {
    const owner = startOwner(openSqlite(path));
    onTestFinished(() => owner[Symbol.asyncDispose]());
    return owner;
  };
  const pass = async (id: string, ms: number) => {
    await using database = openSqlite(path);
    await database.write('update processes set expires_at = expires_at - $2 where id = $1', [id, ms]);
  };
  return { dataDir, start, pass };
}

test('a living owner is alive for others, and nobody can end it', async () => {
  const { dataDir, start } = folderOf();
  const [one, other] = [start(), start()];
  const { id } = await one.lease();
  expect([await other.end(id), await countLivingOwners(dataDir)]).toEqual([false, 1]);
  expect([(await one.lease()).id, one.isOwn(id), other.isOwn(id)]).toEqual([id, true, false]);
  await one.release();
  expect([await other.end(id), await countLivingOwners(dataDir)]).toEqual([true, 0]);
});

test('an expired owner is dead, and stays so when it continues', async () => {
  const { start, pass } = folderOf();
  const [one, other] = [start(), start()];
  const lost: string[] = [];
  one.onLost((id) => lost.push(id));
  const lease = await one.lease();
  await pass(lease.id, LEASE_TTL_MS);
  expect(await other.end(lease.id)).toBe(true);
  await until(() => !lease.isHeld(), 20_000);
  expect(() => lease.check()).toThrow(expect.objectContaining({ code: 'OWNERSHIP_LOST' }));
  await expect(lease.confirm()).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
  const next = await one.lease();
  expect([next.id === lease.id, next.isHeld(), lease.isHeld(), lost]).toEqual([false, true, false, [lease.id]]);
});

test('an owner that was paused for the time to live has lost its lease, also when nobody ended it', async () => {
  const { start, pass } = folderOf();
  const one = start();
  const lease = await one.lease();
  await pass(lease.id, LEASE_TTL_MS);
  await until(() => !lease.isHeld(), 20_000);
  expect((await one.lease()).id).not.toBe(lease.id);
});

test('a wall clock that is set ends no lease, and keeps no dead owner alive', async () => {
  const { start, pass } = folderOf();
  const [one, other] = [start(), start()];
  const lease = await one.lease();
  const now = Date.now();
  for (const ms of [7_200_000, -14_400_000]) {
    vi.spyOn(Date, 'now').mockReturnValue(now + ms);
    expect([lease.isHeld(), await other.end(lease.id)]).toEqual([true, false]);
  }
  // The lease of a process before a restart of the machine, whose clock was ahead.
  await pass(lease.id, -3_600_000);
  expect(await other.end(lease.id)).toBe(true);
});

test('all work of a process in one data folder has one lease, which its end releases', async () => {
  const dataDir = temporaryFolder();
  const [one, two] = [openOwner(dataDir), openOwner(dataDir)];
  const { id } = await one.lease();
  expect([(await two.lease()).id, await countLivingOwners(dataDir)]).toEqual([id, 1]);
  await one[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  expect(await countLivingOwners(dataDir)).toBe(1);
  await two[Symbol.asyncDispose]();
  expect(await countLivingOwners(dataDir)).toBe(0);
});

test('a busy event loop loses no lease', async () => {
  const { start } = folderOf();
  const [one, other] = [start(), start()];
  const lost: string[] = [];
  one.onLost((id) => lost.push(id));
  const lease = await one.lease();
  // Nothing of this thread runs meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEASE_TTL_MS + 2_000);
  expect([lease.isHeld(), (await one.lease()).id === lease.id, await other.end(lease.id)]).toEqual([true, true, false]);
  expect(lost).toEqual([]);
});

test('a living process of a former version is refused, and a dead one is not', () => {
  const dataDir = temporaryFolder();
  const owners = join(dataDir, 'owners');
  mkdirSync(owners);
  const add = (wallMs: number, monotonic: number, machine: string) => {
    const name = ['11111111-2222-4333-8444-555555555555', Date.now() + wallMs, monotonic, machine].join('.');
    writeFileSync(join(owners, name), '');
  };
  add(60_000, Math.ceil(monotonicMs()) - 1, thisMachine());
  add(-1, 0, '00000000');
  expect(() => requireNoFormerProcess(dataDir)).not.toThrow();
  add(-60_000, Math.ceil(monotonicMs()) + 5_000, thisMachine());
  expect(() => requireNoFormerProcess(dataDir)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

// Inside the repository, so that packages are found.
const HOST = fileURLToPath(new URL(`../../../../.toolwright/test/lease-owner-${process.pid}.mjs`, import.meta.url));

/** Starts a process that owns work in a data folder. */
async function ownerProcess(dataDir: string) {
  const child = spawn(process.execPath, [HOST, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [id] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, id: String(id) };
}

test('a process of this machine that was killed is dead at once, and one that is stopped only when its lease expires', async () => {
  await bundleProgram(fileURLToPath(new URL('../../../../test/fixtures/lease-owner-host.ts', import.meta.url)), HOST);
  onTestFinished(() => rmSync(HOST, { force: true }));
  const { dataDir, start } = folderOf();
  const owner = start();
  const [killed, stopped] = [await ownerProcess(dataDir), await ownerProcess(dataDir)];
  stopped.child.kill('SIGSTOP');
  expect([await owner.end(killed.id), await owner.end(stopped.id)]).toEqual([false, false]);
  const ended = once(killed.child, 'exit');
  killed.child.kill('SIGKILL');
  await ended;
  await owner.endDead();
  expect(await countLivingOwners(dataDir)).toBe(1);
  expect([await owner.end(killed.id), await owner.end(stopped.id)]).toEqual([true, false]);
  const [place] = killed.id.split('.');
  // Another machine, or a container with processes of its own, may have a process with this number.
  expect(hasProcessEnded(killed.id.replace(`${place}.`, '0badc0de.'))).toBe(false);
  // Another process has the number of one that has ended.
  expect(hasProcessEnded(`${place}.${process.pid}.1.x`)).toBe(process.platform === 'linux');
  expect(hasProcessEnded(`${processName()}.x`)).toBe(false);
});
