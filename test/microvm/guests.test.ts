import { mkdtempSync, rmSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSandboxCase, sandboxCases } from '@toolwright/conformance/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GuestOutcome } from '../../packages/sandbox/src/bridge/protocol.ts';
import type { Sandbox, SandboxLimits } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { needs } from '../fixtures/needs.ts';
import { makeInitramfs } from './initramfs.ts';
import { fetchKernel, type Kernel, missingHere } from './kernel.ts';
import { emulatedSandbox } from './machine.ts';

/** Few cases, because each boots a machine per language. Sandboxes with a fast start run the whole suite. */
const CASES = ['named imports call tools', 'an error has its position in TypeScript'];
const LIMITS = { timeoutMs: 120_000, memoryBytes: 128 * 1024 * 1024, messageBytes: 1024 * 1024 };

needs('microvm', missingHere()).describe('a guest in a machine with its own kernel', () => {
  let folder = '';
  let kernel: Kernel;
  let sandbox: Sandbox;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolwright-microvm-'));
    kernel = fetchKernel();
    const initramfs = join(folder, 'initramfs');
    makeInitramfs(initramfs, kernel);
    sandbox = emulatedSandbox({ kernel, initramfs, folder });
  }, 600_000);
  afterAll(async () => {
    await sandbox?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (
    guest: 'javascript' | 'python',
    code: string,
    { limits = {}, onCall = () => undefined }: { limits?: Partial<SandboxLimits>; onCall?: () => void } = {},
  ): Promise<GuestOutcome> => {
    const request = async () => {
      onCall();
      return { ok: true, payload: 'null' };
    };
    const bridge = { request, notice: () => undefined };
    return sandbox.run({ guest, code, seed: 1, epochMs: 0 }, { bridge, limits: { ...LIMITS, ...limits } });
  };

  test.each([
    ['javascript', 'export default () => 6 * 7'],
    ['python', 'result = 6 * 7'],
  ] as const)('boots and runs %s', async (guest, code) => {
    const before = performance.now();
    expect(await run(guest, code)).toEqual({ status: 'completed', value: '42' });
    console.log(`${guest}: ${Math.round(performance.now() - before)} ms from nothing to the result`);
  });

  test('the program sees another kernel and no network, and has no rights', async () => {
    const code = `
import os, socket
status = dict(line.split(':\\t', 1) for line in os.popen('cat /proc/self/status').read().splitlines() if ':\\t' in line)
result = {
    'kernel': os.uname().release, 'uid': os.getuid(), 'interfaces': [name for _, name in socket.if_nameindex()],
    'capabilities': status['CapEff'].strip(), 'root': sorted(os.listdir('/')), 'environment': sorted(os.environ),
}`;
    const outcome = await run('python', code);
    expect(outcome.status).toBe('completed');
    const seen = JSON.parse(outcome.status === 'completed' ? (outcome.value ?? '') : '');
    expect(seen).toMatchObject({ kernel: kernel.version, uid: 65_534, capabilities: '0000000000000000' });
    expect(seen.kernel).not.toBe(release());
    expect(seen.interfaces).toEqual(['lo']);
    expect(seen.root).toContain('toolwright');
    expect(seen.root).not.toContain('home');
  });

  test('a program that never ends is killed with its machine, in time', async () => {
    const limits = { timeoutMs: 5_000 };
    let begun = 0;
    const onCall = () => {
      begun = performance.now();
    };
    const code = 'export default async () => { await callMCPTool("a__b", {}); for (;;); }';
    const outcome = await run('javascript', code, { limits, onCall });
    expect(outcome).toEqual({ status: 'stopped', limit: 'timeout' });
    expect([begun > 0, performance.now() - begun < limits.timeoutMs + 500]).toEqual([true, true]);
  });

  test('a program that uses all memory of its machine reaches the memory limit', async () => {
    const outcome = await run('python', "taken = []\nwhile True: taken.append(b'x' * 10_000_000)");
    expect(outcome.status === 'stopped' && outcome.limit).toBe('memory');
  });

  test.each(sandboxCases.filter(({ name }) => CASES.includes(name)))(
    '$area: $name',
    (testCase) => runSandboxCase(sandbox, testCase),
    600_000,
  );
});
