import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { childrenOf } from '../../packages/sandbox/src/processes/priority.ts';
import { processorMs } from '../../packages/sandbox/src/processes/processor-time.ts';
import { type RunCodeOptions, runCode } from '../../packages/sandbox/src/run-code.ts';
import { containerConfig } from '../../packages/sandbox/src/sandboxes/docker/container-config.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { failureOf } from '../fixtures/server.ts';

const PERCENT = 10;
/** One look of the host, one tick of the kernel's clock and the credit of one period, as a part of the measured time. */
const TOLERANCE = 7;

const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((sandbox) => sandbox[Symbol.asyncDispose]())));

/** Returns the processor time of each child and grandchild of this process, in milliseconds. */
function timesOfGuests(): Map<number, number> {
  const started = childrenOf(process.pid);
  return new Map([...started, ...started.flatMap(childrenOf)].map((pid) => [pid, processorMs(pid) ?? 0]));
}

/** Runs an endless program, and returns its share of one processor in percent. */
async function shareOf(source: string, options: RunCodeOptions): Promise<number> {
  const run = runCode(source, { ...options, limits: { timeoutMs: 2_500, ...options.limits } });
  await sleep(800);
  const [before, at] = [timesOfGuests(), performance.now()];
  await sleep(1_300);
  // Spare guests start meanwhile: the busiest one runs the program.
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

const LOOPS = { typescript: 'for (;;) {}', python: 'while True: pass' } as const;

describe('limits.cpuPercent', () => {
  test('bounds an endless loop in quickjs, whose process runs the next program at full speed', async () => {
    const sandbox = await open(quickjsSandbox());
    const share = await shareOf(LOOPS.typescript, { sandbox, limits: { cpuPercent: PERCENT } });
    expect(share).toBeLessThan(PERCENT + TOLERANCE);
    expect(share).toBeGreaterThan(1);
    expect(await runCode('return 1', { sandbox, limits: { cpuPercent: 1 } })).toMatchObject({ value: 1 });
    expect(await runCode('return 2', { sandbox })).toMatchObject({ value: 2 });
  });

  test.each([0, 101, 1.5])('refuses %d', async (cpuPercent) => {
    expect(await failureOf(runCode('return 1', { limits: { cpuPercent } }))).toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('is the limit of a container', () => {
    const kind = { guest: 'javascript', memoryBytes: 2 ** 26, cpuPercent: PERCENT } as const;
    const settings = { image: 'x', labels: {}, runtime: undefined };
    const config = Object(containerConfig(kind, settings, { command: 'docker' }));
    expect(config.HostConfig.NanoCpus).toBe(0.1 * 1e9);
  });
});

for (const [language, guest] of [
  ['typescript', 'javascript'],
  ['python', 'python'],
] as const) {
  const probe = await probeJail(guest);
  needs(
    'jail',
    missingSandbox(probe),
  ).it(`limits.cpuPercent bounds an endless loop of ${language} in a jail`, async () => {
    const sandbox = await open(jailSandbox());
    const share = await shareOf(LOOPS[language], { sandbox, language, limits: { cpuPercent: PERCENT } });
    expect(share).toBeLessThan(PERCENT + TOLERANCE);
    expect(share).toBeGreaterThan(1);
  });
}
