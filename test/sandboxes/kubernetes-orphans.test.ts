import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { kubernetesSandbox } from '../../packages/sandbox/src/sandboxes/kubernetes.ts';
import { type FakeCluster, startCluster } from '../fixtures/kubernetes/api-server.ts';
import { applyGuests, claimedPods, podsOf, WARM_POOL } from '../fixtures/kubernetes/guests.ts';
import { COMPLETED, ONE, run, runUntilCall } from '../fixtures/kubernetes/programs.ts';

const HOST = fileURLToPath(new URL('../fixtures/kubernetes-host.mjs', import.meta.url));
/** Longer than a lease lives without a renewal. */
const LATER_MS = 120_000;
const REMOVAL_MS = 15_000;

let cluster: FakeCluster;
let host: ChildProcess | undefined;

beforeEach(async () => {
  cluster = await startCluster();
  applyGuests(cluster);
});
afterEach(async () => {
  host?.kill('SIGKILL');
  await cluster.stop();
});

/** Starts a worker, waits until its program runs, and kills it. */
async function killedWorker(...args: readonly string[]): Promise<void> {
  const started = spawn(process.execPath, [HOST, cluster.kubeconfig, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  host = started;
  await once(createInterface({ input: started.stdout }), 'line');
  started.kill('SIGKILL');
  await once(started, 'exit');
}

const leases = () => cluster.store.list('leases').length;

describe('the pods of a killed worker', () => {
  it.each<[string, readonly string[]]>([
    ['that were created', []],
    ['that were claimed', [WARM_POOL]],
  ])('%s are removed by the next worker, after the lease has expired', async (_text, args) => {
    await killedWorker(...args);
    const used = () => [...podsOf(cluster), ...claimedPods(cluster)];
    const [orphan = ''] = used();
    expect(orphan).not.toBe('');
    await using early = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, maxPods: 1 });
    expect(await run(early, ONE)).toEqual(COMPLETED);
    expect([used().includes(orphan), leases()]).toEqual([true, 2]);
    await early[Symbol.asyncDispose]();

    cluster.settings.skewMs = LATER_MS;
    await using late = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, maxPods: 1 });
    expect(await run(late, ONE)).toEqual(COMPLETED);
    await vi.waitFor(() => expect([used().includes(orphan), leases()]).toEqual([false, 1]), REMOVAL_MS);
    await vi.waitFor(() => expect(cluster.kubelet.running()).toBeLessThanOrEqual(1), REMOVAL_MS);
  });

  it.each([-LATER_MS, LATER_MS])('are kept while it lives, also if its clock is wrong by %i ms', async (skewMs) => {
    cluster.settings.skewMs = skewMs;
    await using first = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, maxPods: 1 });
    const { outcome } = await runUntilCall(first);
    const [pod] = podsOf(cluster);
    await using second = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, maxPods: 1 });
    expect(await run(second, ONE)).toEqual(COMPLETED);
    expect(podsOf(cluster)).toContain(pod);
    await first[Symbol.asyncDispose]();
    await expect(outcome).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
  });
});

it('a closed sandbox leaves nothing, and keeps the pods of others', async () => {
  await using first = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, maxPods: 1 });
  await using second = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, maxPods: 1, warmPool: WARM_POOL });
  const { outcome } = await runUntilCall(first);
  expect(await run(second, ONE)).toEqual(COMPLETED);
  await second[Symbol.asyncDispose]();
  expect([podsOf(cluster).length, cluster.store.list('sandboxclaims').length, leases()]).toEqual([1, 0, 1]);
  await first[Symbol.asyncDispose]();
  expect([podsOf(cluster).length, leases()]).toEqual([0, 0]);
  await expect(outcome).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
});
