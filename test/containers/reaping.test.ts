import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dockerSandbox } from '../../packages/sandbox/src/sandboxes/docker.ts';
import { containersLeft, containersOf, killContainers, run, runForEver } from '../fixtures/container-programs.ts';
import { dockerSocket, image, needsDocker } from '../fixtures/engines.ts';
import { childrenOf } from '../fixtures/processes.ts';
import { failureOf } from '../fixtures/server.ts';

const HOST = fileURLToPath(new URL('../fixtures/docker-host.mjs', import.meta.url));
const socketPath = dockerSocket ?? '';
const REMOVAL_MS = 10_000;

/** Starts a host, and waits until its guest computes. */
async function startHost(): Promise<{ host: ChildProcess; pid: number }> {
  const host = spawn(process.execPath, [HOST, socketPath, image], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface({ input: host.stdout }), 'line');
  return { host, pid: host.pid ?? 0 };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
}

needsDocker.describe('containers end with their host', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('that receives %s while a guest computes', async (signal) => {
    const { host, pid } = await startHost();
    expect((await containersOf(socketPath, pid)).length).toBeGreaterThan(0);
    await kill(host, signal);
    expect(await containersLeft(socketPath, pid, REMOVAL_MS)).toBe(0);
  });

  test('and the next host removes them if the watcher was killed too', async () => {
    const { host, pid } = await startHost();
    const watches = childrenOf(pid).filter(({ command }) => command.includes('watch.js'));
    expect(watches).toHaveLength(1);
    for (const watch of watches) process.kill(watch.pid, 'SIGKILL');
    await kill(host, 'SIGKILL');
    // Its containers remain now, until any other host removes them.
    const neighbour = await startHost();
    await using sandbox = dockerSandbox({ socketPath, image });
    expect(await run(sandbox, 'javascript', 'return 1')).toEqual({ status: 'completed', value: '1' });
    expect(await containersLeft(socketPath, pid, REMOVAL_MS)).toBe(0);
    // Containers of a live host are not touched.
    expect((await containersOf(socketPath, neighbour.pid)).length).toBeGreaterThan(0);
    await kill(neighbour.host, 'SIGKILL');
    expect(await containersLeft(socketPath, neighbour.pid, REMOVAL_MS)).toBe(0);
  });

  test('that closes the sandbox, busy or idle', async () => {
    const sandbox = dockerSandbox({ socketPath, image });
    await run(sandbox, 'javascript', 'return 1');
    const { outcome } = await runForEver(sandbox);
    const running = failureOf(outcome);
    await sandbox[Symbol.asyncDispose]();
    expect((await running).code).toMatch(/SANDBOX_LOST|CLOSED/);
    expect(await containersOf(socketPath, process.pid)).toEqual([]);
    expect(childrenOf().filter(({ command }) => command.includes('watch.js'))).toEqual([]);
  });

  test('a guest that is killed from outside is lost, and the next program works', async () => {
    await using sandbox = dockerSandbox({ socketPath, image });
    const { outcome } = await runForEver(sandbox);
    const running = failureOf(outcome);
    await killContainers(socketPath, process.pid);
    expect([(await running).code, (await running).message]).toEqual([
      'SANDBOX_LOST',
      'The sandbox process ended early (exit code 137).',
    ]);
    expect(await run(sandbox, 'javascript', 'return 1')).toEqual({ status: 'completed', value: '1' });
  });
});
