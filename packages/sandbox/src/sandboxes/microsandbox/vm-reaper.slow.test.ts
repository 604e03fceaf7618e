import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { until } from '../../../../../test/fixtures/server.ts';
import { bundleProgram } from '../../../../../test/fixtures/sources.ts';
import { callCommand } from './command.ts';
import { isLeftOver, machineName } from './machine-name.ts';
import { openVmReaper } from './vm-reaper.ts';

const ROOT = new URL('../../../../../', import.meta.url);
const MSB = fileURLToPath(new URL('test/fixtures/msb.mjs', ROOT));
const IMAGE = 'toolwright-guest:1';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolwright-msb-'));
  mkdirSync(join(home, 'sandboxes'));
  writeFileSync(join(home, 'images'), IMAGE);
  vi.stubEnv('MSB_HOME', home);
});
afterEach(async () => {
  for (const name of machines()) await callCommand(MSB, 'remove', '--force', name);
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const machines = () => readdirSync(join(home, 'sandboxes'));
const create = (name: string) => callCommand(MSB, 'create', '--name', name, '--memory', '64M', IMAGE);

/** Returns names of machines: of this process, of ended processes, and of processes that are unknown here. */
async function names(): Promise<{ own: string; gone: string[]; foreign: string[] }> {
  const own = machineName();
  const [, place = '', , started = ''] = own.split('-');
  const child = spawn('true');
  await once(child, 'exit');
  return {
    own,
    gone: [
      own.replace(`-${process.pid}-`, `-${child.pid}-`),
      // Another process has this process id now.
      own.replace(`-${started}-`, '-7-'),
    ],
    foreign: [own.replace(place, '00000000').replace(`-${process.pid}-`, `-${child.pid}-`), 'toolwright-mine', 'web'],
  };
}

test('a name shows whether its process has ended', async () => {
  const { own, gone, foreign } = await names();
  expect([own, ...foreign, ...gone].filter(isLeftOver)).toEqual(gone);
  expect(machineName()).not.toBe(own);
});

test('machines of ended processes are removed, and no others', async () => {
  const { own, gone, foreign } = await names();
  for (const name of [own, ...gone, ...foreign]) expect(await create(name)).toMatchObject({ code: 0 });
  const reaper = openVmReaper(MSB);
  await reaper.removeOrphans();
  await reaper.close();
  expect(machines().sort()).toEqual([own, ...foreign].sort());
});

test('a machine is removed once its command has ended', async () => {
  const reaper = openVmReaper(MSB);
  const name = machineName();
  await create(name);
  let end: (value: unknown) => void = () => undefined;
  const removed = reaper.keep(name, new Promise((resolve) => (end = resolve)));
  expect(machines()).toEqual([name]);
  end(undefined);
  await removed;
  expect(machines()).toEqual([]);
  await reaper.close();
});

test.each(['SIGKILL', 'SIGTERM'] as const)('no machine outlives a host that ends by %s', async (signal) => {
  // Inside the repository, so that packages are found.
  const host = fileURLToPath(new URL(`.toolwright/test/machine-host-${process.pid}.mjs`, ROOT));
  const entry = fileURLToPath(new URL('test/fixtures/machine-host.ts', ROOT));
  await bundleProgram(entry, host);
  try {
    const child = spawn(process.execPath, [host, MSB, IMAGE], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line', { signal: endOf(child) });
    expect(line).toBe('ready');
    const processes = machines().flatMap((name) =>
      readFileSync(join(home, 'sandboxes', name), 'utf8')
        .split('\n')
        .map(Number),
    );
    expect(processes.filter(isAlive).length).toBeGreaterThanOrEqual(2);
    child.kill(signal);
    await until(() => machines().length === 0, 20_000);
    await until(() => !processes.some(isAlive), 20_000);
  } finally {
    rmSync(host, { force: true });
  }
});

/** Aborts when a process ends: nothing waits for its output then. */
function endOf(child: ChildProcess): AbortSignal {
  const ended = new AbortController();
  child.once('exit', (code) => ended.abort(new Error(`the host ended with ${code}`)));
  return ended.signal;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie without a waiting parent has ended.
  return process.platform !== 'linux' || !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}
