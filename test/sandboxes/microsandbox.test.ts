import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSandboxCase, sandboxCases } from '@toolwright/conformance/sandbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GuestOutcome } from '../../packages/sandbox/src/bridge/protocol.ts';
import { microsandboxSandbox } from '../../packages/sandbox/src/sandboxes/microsandbox.ts';
import type { Sandbox, SandboxLimits } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { needsPlainPython } from '../fixtures/plain-python.ts';
import { childrenOf } from '../fixtures/processes.ts';
import { failureOf } from '../fixtures/server.ts';
import { withoutFolder } from '../fixtures/without-folder.ts';

const MSB = fileURLToPath(new URL('../fixtures/msb.mjs', import.meta.url));
const IMAGE = 'toolwright-guest:1';
const LIMITS: SandboxLimits = { timeoutMs: 60_000, memoryBytes: 128 * 1024 * 1024, messageBytes: 1024 * 1024 };
const ONE = 'export default () => 1';
const COMPLETED = { status: 'completed', value: '1' };
/** Some cases of each area, each in its own machine. The same guest passes the whole suite in other sandboxes. */
const CASES = [
  'the time limit ends a busy loop',
  'the time limit ends a wait for a tool',
  'the memory limit ends growing arrays',
  'named imports call tools',
  'files are written, read, appended to and listed',
  'an error has its position in TypeScript',
  'progress reaches the caller in order',
  'no state passes to the next program, only files of the session',
  'the program cannot see the host',
  'a signal cancels a computing program, and a waiting one',
];

let home = '';
let sandbox: Sandbox;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolwright-msb-'));
  writeFileSync(join(home, 'images'), IMAGE);
  vi.stubEnv('MSB_HOME', home);
  sandbox = microsandboxSandbox({ image: IMAGE, command: MSB });
});
afterEach(async () => {
  await sandbox[Symbol.asyncDispose]();
  const left = machines();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
  expect(left).toEqual([]);
});

function run(
  code: string,
  limits: Partial<SandboxLimits> = {},
  onRequest = () => undefined,
  guest: 'javascript' | 'python' = 'javascript',
): Promise<GuestOutcome> {
  const program = { guest, code, seed: 1, epochMs: 0 };
  const request = () => {
    onRequest();
    return new Promise<never>(() => undefined);
  };
  return sandbox.run(program, { bridge: { request, notice: () => undefined }, limits: { ...LIMITS, ...limits } });
}

/** Starts a program that waits for a call. Resolves after the call. */
async function runUntilCall(): Promise<{ outcome: Promise<GuestOutcome> }> {
  let outcome: Promise<GuestOutcome> = Promise.reject(new Error('not started'));
  outcome.catch(() => undefined);
  await new Promise<undefined>((begun) => {
    outcome = run('export default () => callMCPTool("a__b", {})', {}, () => void begun(undefined));
  });
  return { outcome };
}

function machines(): string[] {
  try {
    return readdirSync(join(home, 'sandboxes'));
  } catch {
    return [];
  }
}

/** Returns the process ids of a machine and of its processes. */
const processesOf = (name: string) =>
  readFileSync(join(home, 'sandboxes', name), 'utf8')
    .split('\n')
    .map(Number);
const calls = (verb: string) =>
  readFileSync(join(home, 'calls'), 'utf8')
    .split('\n')
    .filter((call) => call.startsWith(verb));

describe('a machine', () => {
  it('has no network, little memory and no rights, and its image is not fetched', async () => {
    expect(await run(ONE)).toEqual(COMPLETED);
    expect(calls('create')[0]?.replace(/toolwright-[0-9a-f]{8}-\d+-\d+-[0-9a-f]{8}/, 'NAME')).toBe(
      'create --quiet --name NAME --pull never --no-net --hostname sandbox --cpus 1 --memory 320M --tmpfs /tmp:16M ' +
        `--tmpfs /workspace:256M --user 65534:65534 --security restricted ${IMAGE}`,
    );
  });

  it('of Python reads the folder of the packages', async () => {
    await sandbox[Symbol.asyncDispose]();
    sandbox = microsandboxSandbox({ image: IMAGE, command: MSB, packages: '/var/layers/0a1b/content' });
    expect([await run(ONE), await run('result = 1', {}, undefined, 'python')]).toEqual([COMPLETED, COMPLETED]);
    const mounts = calls('create').map((call) => [
      /memory (\d+)M/.exec(call)?.[1],
      / --mount-dir (\S+)/.exec(call)?.[1],
    ]);
    expect(mounts).toContainEqual(['288', '/var/layers/0a1b/content:/toolwright/packages:ro']);
    expect(mounts).toContainEqual(['320', undefined]);
  });

  it('runs one program, and is removed', async () => {
    expect([await run(ONE), await run(ONE)]).toEqual([COMPLETED, COMPLETED]);
    await sandbox[Symbol.asyncDispose]();
    expect(machines()).toEqual([]);
    expect(calls('remove').length).toBeGreaterThanOrEqual(calls('create').length);
    expect(new Set(calls('exec')).size).toBe(calls('exec').length);
  });

  it('that was started in vain is removed when the sandbox is closed', async () => {
    await sandbox[Symbol.asyncDispose]();
    expect([machines(), calls('create').length <= 1]).toEqual([[], true]);
  });
});

describe('passes', () => {
  // Some cases run in Python as well.
  needsPlainPython.describe('conformance cases', () => {
    it.each(sandboxCases.filter(({ name }) => CASES.includes(name)))('$area: $name', (testCase) =>
      runSandboxCase(sandbox, withoutFolder(testCase)),
    );
  });
  it('finds all of its cases', () => {
    expect(sandboxCases.map(({ name }) => name)).toEqual(expect.arrayContaining(CASES));
  });
});

describe('an unexpected end', () => {
  // Without a spare machine, which the tests would end too.
  beforeEach(async () => {
    await sandbox[Symbol.asyncDispose]();
    sandbox = microsandboxSandbox({ image: IMAGE, command: MSB, maxProcesses: 1 });
  });

  it('by the kernel of the machine means that the memory limit was reached', async () => {
    const { outcome } = await runUntilCall();
    const guests = machines().map((name) => processesOf(name)[1] ?? 0);
    for (const { pid } of guests.flatMap(childrenOf)) process.kill(pid, 'SIGKILL');
    expect(await outcome).toEqual({ status: 'stopped', limit: 'memory' });
    expect(await run(ONE)).toEqual(COMPLETED);
  });

  it('of the whole machine is an error of the host, with the message of msb', async () => {
    const { outcome } = await runUntilCall();
    for (const name of machines()) {
      const processes = processesOf(name);
      rmSync(join(home, 'sandboxes', name));
      for (const pid of processes) process.kill(-pid, 'SIGKILL');
    }
    const { code, message } = await failureOf(outcome);
    expect([code, message]).toEqual([
      'SANDBOX_LOST',
      'The microVM was lost: error: exec session ended without exit event',
    ]);
    expect(await run(ONE)).toEqual(COMPLETED);
  });
});

describe('msb that', () => {
  it('does not exist is an error at once', () => {
    expect(() => microsandboxSandbox({ command: '/nowhere/msb' })).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_UNAVAILABLE',
        message: '/nowhere/msb was not found. Run "toolwright doctor" for the missing parts.',
      }),
    );
  });

  it('cannot boot a machine reports the reason', async () => {
    writeFileSync(join(home, 'refuse'), 'sandbox process exited (exit status: 1) before agent relay became available');
    const { code, message } = await failureOf(run(ONE, { memoryBytes: 64 * 1024 * 1024 }));
    expect([code, message.replace(/toolwright-[-0-9a-f]+/, 'NAME')]).toEqual([
      'SANDBOX_UNAVAILABLE',
      'msb did not start a microVM (exit code 1): error: failed to start "NAME"\n' +
        '  → sandbox process exited (exit status: 1) before agent relay became available\n' +
        'Run "toolwright doctor" for the missing parts.',
    ]);
  });

  it('has no image reports that', async () => {
    writeFileSync(join(home, 'images'), '');
    const { message } = await failureOf(run(ONE, { memoryBytes: 64 * 1024 * 1024 }));
    expect(message).toContain(`error: image error: image not cached: docker.io/library/${IMAGE}`);
  });

  it('hangs during a boot is ended when the sandbox is closed, with its incomplete machine', async () => {
    writeFileSync(join(home, 'hang'), '');
    const lost = failureOf(run(ONE, { memoryBytes: 64 * 1024 * 1024 }));
    await vi.waitFor(() => expect(machines().length).toBeGreaterThan(0), 20_000);
    await sandbox[Symbol.asyncDispose]();
    expect((await lost).code).toMatch(/^(SANDBOX_LOST|CLOSED)$/);
    expect(machines()).toEqual([]);
  });
});
