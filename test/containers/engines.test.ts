import { runSandboxCase, sandboxCases } from '@toolwright/conformance/sandbox';
import { afterAll, expect, it, test } from 'vitest';
import { type DockerSandboxOptions, dockerSandbox, probeDocker } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { containersLeft, run } from '../fixtures/container-programs.ts';
import { dockerSocket, image, needsGvisor, needsPodman, podmanSocket } from '../fixtures/engines.ts';

/** One of each kind: these engines differ from the fully tested engine only in the start of a guest. */
const NAMES = [
  'the last expression is the result',
  'five calls under Promise.all are in flight at once',
  'files are written, read, appended to and listed',
  'an uncaught tool error has the line of the call',
  'the memory limit ends growing arrays',
  'a large value crosses the bridge',
];
const cases = sandboxCases.filter(({ name }) => NAMES.includes(name));

test('the cases are there', () => expect(cases.map(({ name }) => name).sort()).toEqual([...NAMES].sort()));

// gVisor is slow without its kernel module.
const gvisor = { image, runtime: 'runsc', maxProcesses: 2, ...(dockerSocket ? { socketPath: dockerSocket } : {}) };
const podman = { image, maxProcesses: 2, ...(podmanSocket ? { socketPath: podmanSocket } : {}) };

needsPodman.describe('podman', () => testEngine(podman));
needsGvisor.describe('docker with gVisor', () => testEngine(gvisor));

function testEngine(options: DockerSandboxOptions): void {
  const sandbox = dockerSandbox(options);
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    if (options === podman) expect(await containersLeft(podmanSocket, process.pid, 5_000)).toBe(0);
  });

  it.each(cases)('$name', (testCase) => runSandboxCase(sandbox, testCase));

  test('is available', async () => expect((await probeDocker(options)).available).toBe(true));

  test('ends a program that runs too long', async () => {
    const outcome = await run(sandbox, 'javascript', 'for (;;) {}', { limits: { timeoutMs: 300 } });
    expect(outcome).toEqual({ status: 'stopped', limit: 'timeout' });
  });

  test('creates no socket, not even to a hypervisor, which the network namespace does not isolate', async () => {
    const program = `import socket
made = []
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        try: socket.socket(family, kind, 0).close(); made.append([family, kind])
        except OSError: pass
made`;
    const value = options === gvisor ? expect.not.stringContaining('[40,') : '[]';
    expect(await run(sandbox, 'python', program)).toEqual({ status: 'completed', value });
  });

  test('runs Python', async () => {
    expect(await run(sandbox, 'python', 'print("x")\nsum(range(10))')).toEqual({ status: 'completed', value: '45' });
  });
}

needsPodman.it('Podman without the image is reported with the fix for Podman', async () => {
  const { reason, fix } = await probeDocker({ socketPath: podmanSocket ?? '' });
  expect(reason).toMatch(/^the image toolwright-guest:\S+ does not exist$/);
  expect(fix).toMatch(/^run: podman build -f packages\/sandbox\/deploy\/guest.Dockerfile/);
});
