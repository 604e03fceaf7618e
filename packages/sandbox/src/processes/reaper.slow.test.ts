import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixturePath, temporaryFile, until } from '../../../../test/fixtures/server.ts';
import { bundleProgram } from '../../../../test/fixtures/sources.ts';
import { endGroup, registerGroup, unregisterGroup } from './reaper.ts';

// Inside the repository, so that packages are found.
const host = fileURLToPath(new URL(`../../../../.toolwright/test/host-${process.pid}.mjs`, import.meta.url));

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../../../test/fixtures/host.ts', import.meta.url));
  await bundleProgram(entry, host);
});
afterAll(() => rmSync(host, { force: true }));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie without a waiting parent has ended.
  if (process.platform !== 'linux') return true;
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // The process ended after the signal was sent.
    return false;
  }
}

/** Starts the host, and waits until its stubborn server and the server's child run. */
async function startHost(ending: string): Promise<{ child: ChildProcess; pids: number[] }> {
  const pidsFile = temporaryFile();
  const child = spawn(process.execPath, [host, fixturePath('stubborn.mjs'), pidsFile, ending], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the host ended with ${code}`)));
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  ended.catch(() => undefined);
  return { child, pids: readFileSync(pidsFile, 'utf8').split(' ').map(Number) };
}

describe('no process outlives the host', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGKILL', 'SIGHUP'] as const)('that ends by %s', async (signal) => {
    const { child, pids } = await startHost('wait');
    expect(pids.map(isAlive)).toEqual([true, true]);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
    await until(() => !pids.some(isAlive));
  });

  test.each([
    ['exit', 7],
    ['throw', 1],
    ['dispose', 0],
  ])('that ends by %s', async (ending, code) => {
    const { child, pids } = await startHost(ending);
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(code);
    await until(() => !pids.some(isAlive));
  });
});

test('a group that ignores SIGTERM is killed after the grace period', async () => {
  const child = spawn('/bin/sh', ['-c', "trap '' TERM; echo up; while :; do sleep 0.1; done"], { detached: true });
  const pid = child.pid ?? 0;
  registerGroup(pid);
  await once(child.stdout, 'data');
  const exited = once(child, 'exit');
  await endGroup(pid, 100);
  expect(await exited).toEqual([null, 'SIGKILL']);
  unregisterGroup(pid);
});

test('ending a group that has already ended is not an error', async () => {
  const child = spawn('true', { detached: true });
  await once(child, 'exit');
  await endGroup(child.pid ?? 0, 1_000);
});
