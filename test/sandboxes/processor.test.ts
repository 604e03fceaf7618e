import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { childrenOf, processorMs } from '../../packages/sandbox/src/processes/processor.ts';
import { type RunCodeOptions, runCode } from '../../packages/sandbox/src/run-code.ts';
import { containerConfig } from '../../packages/sandbox/src/sandboxes/docker/container-config.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { partial } from '../fixtures/partial.ts';
import { failureOf } from '../fixtures/server.ts';
import { shortForm } from '../fixtures/short-form.ts';

const PERCENT = 10;
/** One look of the host, one tick of the kernel's clock and the credit of one period, as a part of the measured time. */
const TOLERANCE = 7;

const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((sandbox) => sandbox[Symbol.asyncDispose]())));

/** Returns whether a process is a language worker: the first program starts some, which load a compiler. */
function isWorker(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('language-worker');
  } catch {
    return true;
  }
}

/** Returns the processor time of each guest, in milliseconds. */
function timesOfGuests(): Map<number, number> {
  const guests = childrenOf(process.pid).filter((pid) => !isWorker(pid));
  return new Map(guests.map((pid) => [pid, processorMs(pid) ?? 0]));
}

/** Runs an endless program, and returns its share of one processor in percent. */
async function shareOf(source: string, options: RunCodeOptions): Promise<number> {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const run = runCode(source, { ...options, onLog: () => begin(), limits: { timeoutMs: 2_000, ...options.limits } });
  await begun;
  await sleep(200);
  const [before, at] = [timesOfGuests(), performance.now()];
  await sleep(1_200);
  // The busiest process runs the program: its sandbox starts no other ones.
  const used = [...timesOfGuests()].map(([pid, ms]) => ms - (before.get(pid) ?? ms));
  const share = (100 * Math.max(...used)) / (performance.now() - at);
  expect(await run).toMatchObject({ status: 'stopped', limit: 'timeout' });
  return share;
}

async function open(sandbox: Sandbox | Promise<Sandbox>): Promise<Sandbox> {
  const opened = await sandbox;
  sandboxes.push(opened);
  return opened;
}

const LOOPS = {
  typescript: 'console.log(1); await utils.sleep(50); for (;;) {}',
  python: 'import asyncio\nprint(1)\nawait asyncio.sleep(0.05)\nwhile True: pass',
} as const;

describe('limits.cpuPercent', () => {
  test('bounds an endless loop in quickjs, whose process runs the next program at full speed', async () => {
    const sandbox = await open(quickjsSandbox({ maxProcesses: 1 }));
    const share = await shareOf(LOOPS.typescript, { sandbox, limits: { cpuPercent: PERCENT } });
    expect(share).toBeLessThan(PERCENT + TOLERANCE);
    expect(share).toBeGreaterThan(0.1);
    expect(await runCode('return 1', { sandbox, limits: { cpuPercent: 1 } })).toMatchObject({ value: 1 });
    expect(await runCode('return 2', { sandbox })).toMatchObject({ value: 2 });
  });

  test.each([0, 101, 1.5])('refuses %d', async (cpuPercent) => {
    expect(await failureOf(runCode('return 1', { limits: { cpuPercent } }))).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('is the limit of a container', () => {
    const kind = { guest: 'javascript', memoryBytes: 2 ** 26, cpuPercent: PERCENT } as const;
    const settings = { image: 'x', labels: {}, runtime: undefined };
    const config = Object(containerConfig(kind, settings, partial({ command: 'docker' })));
    expect(config.HostConfig.NanoCpus).toBe(0.1 * 1e9);
  });
});

// A Python jail forks a process per program, which is the harder case.
for (const [language, guest] of shortForm(
  [
    ['python', 'python'],
    ['typescript', 'javascript'],
  ] as const,
  2,
)) {
  const probe = await probeJail(guest);
  needs(
    'jail',
    missingSandbox(probe),
  ).it(`limits.cpuPercent bounds an endless loop of ${language} in a jail`, async () => {
    const sandbox = await open(jailSandbox({ maxProcesses: 1 }));
    const share = await shareOf(LOOPS[language], { sandbox, language, limits: { cpuPercent: PERCENT } });
    expect(share).toBeLessThan(PERCENT + TOLERANCE);
    expect(share).toBeGreaterThan(0.1);
  });
}
