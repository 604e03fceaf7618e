import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KubernetesSandboxOptions, kubernetesSandbox } from '../../packages/sandbox/src/sandboxes/kubernetes.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { DEPLOYMENTS } from '../deploy/deployments.ts';
import { idOf, render } from '../deploy/kustomize.ts';
import { at } from '../deploy/yaml.ts';
import { type FakeCluster, startCluster } from '../fixtures/kubernetes/api-server.ts';
import { applyGuests, claimedPods, podsOf, WARM_POOL } from '../fixtures/kubernetes/guests.ts';
import { COMPLETED, ONE, run, runUntilCall } from '../fixtures/kubernetes/programs.ts';
import type { Stored } from '../fixtures/kubernetes/store.ts';
import { failureOf } from '../fixtures/server.ts';

const MEBIBYTE = 1024 * 1024;

let cluster: FakeCluster;
let sandbox: Sandbox;
let created: Stored[];

beforeEach(async () => {
  cluster = await startCluster();
  created = [];
  cluster.store.events.on('event', ({ type, object }) => {
    if (type === 'ADDED') created.push(object);
  });
});
afterEach(async () => {
  await sandbox[Symbol.asyncDispose]();
  const left = [
    podsOf(cluster),
    claimedPods(cluster),
    cluster.store.list('sandboxclaims'),
    cluster.store.list('leases'),
  ];
  await vi.waitFor(() => expect(cluster.kubelet.running()).toBe(0), 10_000);
  await cluster.stop();
  expect(left).toEqual([[], [], [], []]);
});

function open(options: KubernetesSandboxOptions = {}): Sandbox {
  sandbox = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, ...options });
  return sandbox;
}

/** One pod at a time, so that no spare one is created. */
const openOne = (options: KubernetesSandboxOptions = {}) => open({ maxPods: 1, ...options });
const specs = (kind: string) => created.filter((object) => object.kind === kind).map(({ spec }) => spec);
const claims = () => cluster.requests.filter((request) => request === 'create sandboxclaims').length;
const creations = () => cluster.requests.filter((request) => request === 'create pods').length;

describe('a new pod', () => {
  it('reads the packages of Python from their claim', async () => {
    const packages = '/var/layers/0a1b/content';
    const options = { packages, packagesClaim: 'layers' };
    expect(await run(openOne(options), 'result = 1', { guest: 'python' })).toEqual(COMPLETED);
    const spec = Object(specs('Pod')[0]);
    expect(spec.volumes).toContainEqual({
      name: 'packages',
      persistentVolumeClaim: { claimName: 'layers', readOnly: true },
    });
    expect(spec.containers[0].volumeMounts).toContainEqual({
      ...{ name: 'packages', mountPath: '/toolwright/packages' },
      ...{ subPath: '0a1b/content', readOnly: true },
    });
  });

  it('is the pod of the template in deploy/kubernetes, with an end', async () => {
    expect(await run(openOne(), ONE)).toEqual(COMPLETED);
    const guests = render(DEPLOYMENTS['guests with warm-pool']);
    const template = guests.find((resource) => idOf(resource) === 'SandboxTemplate toolwright-guest');
    const { activeDeadlineSeconds, ...spec } = Object(specs('Pod')[0]);
    expect(spec).toEqual(at(template, 'spec.podTemplate.spec'));
    expect(activeDeadlineSeconds).toBe(21_600);
    expect(created.find(({ kind }) => kind === 'Pod')?.metadata.labels).toMatchObject(
      Object(at(template, 'spec.podTemplate.metadata.labels')),
    );
  });

  it('has the memory and the processor of its program', async () => {
    const limits = { memoryBytes: 256 * MEBIBYTE, cpuPercent: 25 };
    expect(await run(openOne(), ONE, { limits })).toEqual(COMPLETED);
    const resources = specs('Pod').map((spec) => at(spec, 'containers.0.resources.limits'));
    expect(resources).toContainEqual({ cpu: '250m', memory: '352Mi', 'ephemeral-storage': '16Mi' });
  });

  it('runs one program, and is removed', async () => {
    const opened = openOne();
    expect([await run(opened, ONE), await run(opened, ONE)]).toEqual([COMPLETED, COMPLETED]);
    await vi.waitFor(() => expect(podsOf(cluster).length).toBeLessThanOrEqual(1), 10_000);
    const [first, second] = created.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => metadata.name);
    expect(first).not.toBe(second);
  });

  it('belongs to the lease of its worker', async () => {
    await run(openOne(), ONE);
    const [lease] = cluster.store.list('leases');
    const owner = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      name: lease?.metadata.name,
      uid: lease?.metadata.uid,
    };
    for (const { kind, metadata } of created) {
      if (kind === 'Pod') expect(metadata.ownerReferences).toEqual([owner]);
    }
  });

  it('has the RuntimeClass and the image of the settings', async () => {
    await run(openOne({ runtimeClass: 'gvisor', image: 'registry.example/guest:2' }), ONE);
    expect(specs('Pod')[0]).toMatchObject({
      runtimeClassName: 'gvisor',
      containers: [{ image: 'registry.example/guest:2' }],
    });
  });

  it('is removed when its program is cancelled before it is ready', async () => {
    cluster.kubelet.fate = 'pending';
    const cancel = new AbortController();
    const outcome = run(openOne(), ONE, { signal: cancel.signal }).catch((error: unknown) => Object(error).code);
    await vi.waitFor(() => expect(podsOf(cluster)).toHaveLength(1), 10_000);
    await sandbox[Symbol.asyncDispose]();
    cancel.abort();
    expect(await outcome).toMatch(/^(CANCELLED|CLOSED|SANDBOX_LOST)$/);
    expect(podsOf(cluster)).toEqual([]);
  });
});

describe('a pod of a warm pool', () => {
  beforeEach(() => applyGuests(cluster));

  it('is claimed without anything that would make it a new one', async () => {
    expect(await run(openOne({ warmPool: WARM_POOL }), ONE)).toEqual(COMPLETED);
    expect([claims() > 0, creations()]).toEqual([true, 0]);
    const shutdownTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const claimed = { warmPoolRef: { name: WARM_POOL }, lifecycle: { shutdownPolicy: 'Delete', shutdownTime } };
    for (const spec of specs('SandboxClaim')) expect(spec).toEqual(claimed);
  });

  it('serves one program, and the pool makes another one', async () => {
    const opened = openOne({ warmPool: WARM_POOL });
    const outcomes = [];
    for (let count = 0; count < 4; count++) outcomes.push(await run(opened, ONE));
    expect(outcomes).toEqual([COMPLETED, COMPLETED, COMPLETED, COMPLETED]);
    expect(claims()).toBeGreaterThanOrEqual(4);
  });

  it('serves only programs whose limits it enforces: others get a pod of their own', async () => {
    const opened = openOne({ warmPool: WARM_POOL, warmMemoryBytes: 512 * MEBIBYTE });
    for (const limits of [{ memoryBytes: 512 * MEBIBYTE }, { memoryBytes: 64 * MEBIBYTE }, { cpuPercent: 50 }]) {
      expect(await run(opened, ONE, { limits })).toEqual(COMPLETED);
    }
    expect(claims()).toBe(0);
    expect(await run(opened, ONE)).toEqual(COMPLETED);
    expect(claims()).toBe(1);
  });

  it.each<[string, object]>([
    ['has a network', { networkPolicy: { egress: [{}] } }],
    ['has a token', { podTemplate: { spec: { automountServiceAccountToken: true } } }],
    ['shares its node', { podTemplate: { spec: { hostNetwork: true } } }],
  ])('is not used if its template %s', async (_text, spec) => {
    cluster.store.change('sandboxtemplates', WARM_POOL, { spec });
    expect(await run(openOne({ warmPool: WARM_POOL }), ONE)).toEqual(COMPLETED);
    expect(claims()).toBe(0);
  });

  it('is replaced by a new one where agent-sandbox or the pool is missing', async () => {
    cluster.settings.agentSandbox = false;
    expect(await run(openOne({ warmPool: WARM_POOL }), ONE)).toEqual(COMPLETED);
    await sandbox[Symbol.asyncDispose]();
    cluster.settings.agentSandbox = true;
    expect(await run(openOne({ warmPool: 'other' }), ONE)).toEqual(COMPLETED);
    expect(claims()).toBe(0);
  });

  it('that the pool does not have yet is waited for', async () => {
    cluster.store.change('sandboxwarmpools', WARM_POOL, { spec: { replicas: 0 } });
    for (const { metadata } of cluster.store.list('sandboxes')) cluster.store.remove('sandboxes', metadata.name);
    const outcome = run(openOne({ warmPool: WARM_POOL }), ONE);
    await vi.waitFor(() => expect(claims()).toBe(1), 10_000);
    cluster.store.change('sandboxwarmpools', WARM_POOL, { spec: { replicas: 1 } });
    expect(await outcome).toEqual(COMPLETED);
  });

  it('that never comes is an error with the reason of the controller', async () => {
    cluster.store.change('sandboxwarmpools', WARM_POOL, { spec: { replicas: 0 } });
    for (const { metadata } of cluster.store.list('sandboxes')) cluster.store.remove('sandboxes', metadata.name);
    const { code, message } = await failureOf(run(openOne({ warmPool: WARM_POOL, startMs: 500 }), ONE));
    expect([code, message]).toEqual([
      'SANDBOX_UNAVAILABLE',
      'The sandbox "kubernetes" is not available: no pod was ready within 0.5 s: the claim is not ready: ' +
        'DependenciesNotReady (see "kubectl describe pod", and add nodes or lower kubernetes.maxPods).',
    ]);
  });
});

it('programs of several users have pods of their own, as many as allowed', async () => {
  const opened = open({ maxPods: 3 });
  const waiting = [await runUntilCall(opened, 'ann'), await runUntilCall(opened, 'bob')];
  expect(await Promise.all(['eve', 'joe'].map((tenant) => run(opened, ONE, { tenant })))).toEqual([
    COMPLETED,
    COMPLETED,
  ]);
  expect(podsOf(cluster).length).toBeLessThanOrEqual(4);
  await sandbox[Symbol.asyncDispose]();
  const ends = await Promise.all(waiting.map(({ outcome }) => outcome.catch((error: unknown) => Object(error).code)));
  expect(ends).toEqual(['SANDBOX_LOST', 'SANDBOX_LOST']);
});
