import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApi } from '../../packages/sandbox/src/sandboxes/kubernetes/api/api.ts';
import { guestCommand } from '../../packages/sandbox/src/sandboxes/kubernetes/pod-config.ts';
import { type KubernetesSandboxOptions, kubernetesSandbox } from '../../packages/sandbox/src/sandboxes/kubernetes.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { type FakeCluster, type Fault, NAMESPACE, startCluster } from '../fixtures/kubernetes/api-server.ts';
import { podsOf } from '../fixtures/kubernetes/guests.ts';
import type { Fate } from '../fixtures/kubernetes/kubelet.ts';
import { COMPLETED, ONE, run, runUntilCall } from '../fixtures/kubernetes/programs.ts';
import { failureOf } from '../fixtures/server.ts';

let cluster: FakeCluster;
let sandbox: Sandbox;

beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(async () => {
  await sandbox[Symbol.asyncDispose]();
  await cluster.stop();
});

/** One pod at a time, so that no spare one is created. */
function open(options: KubernetesSandboxOptions = {}): Sandbox {
  sandbox = kubernetesSandbox({ kubeconfig: cluster.kubeconfig, maxPods: 1, ...options });
  return sandbox;
}

async function failure(options: KubernetesSandboxOptions = {}): Promise<string> {
  const { code, message } = await failureOf(run(open(options), ONE));
  return `${code} ${message}`.replace(/toolwright-[0-9a-f-]{36}/g, 'POD').replaceAll(cluster.url, 'URL');
}

/** Answers the next requests of a kind with a failure. */
function failTimes(wanted: string, times: number, fault: Fault): void {
  let left = times;
  cluster.settings.fault = (request) => (request === wanted && left-- > 0 ? fault : undefined);
}

describe('a pod that does not start is an error with the reason', () => {
  it.each<[Fate, string]>([
    ['no image', 'the pod POD did not start: ImagePullBackOff: Back-off pulling image "toolwright-guest:0.1.0"'],
    ['fails', 'the pod POD did not start: Evicted: The node was low on resource: memory.'],
    ['unschedulable', 'no pod was ready within 2 s: Unschedulable: 0/3 nodes are available'],
    ['pending', 'no pod was ready within 2 s: ContainerCreating'],
  ])('%s', async (fate, reason) => {
    cluster.kubelet.fate = fate;
    expect(await failure({ startMs: 2_000 })).toContain(
      `SANDBOX_UNAVAILABLE The sandbox "kubernetes" is not available: ${reason}`,
    );
    await vi.waitFor(() => expect(podsOf(cluster)).toEqual([]), 10_000);
  });

  it('an image without the guest', async () => {
    cluster.kubelet.command = ['/bin/sh', '-c', 'exit 127'];
    expect(await failure()).toContain(
      'the guest in the pod POD did not start: it ended with exit code 127 (publish the image of this version',
    );
  });

  it('a deleted pod', async () => {
    cluster.kubelet.fate = 'pending';
    const failed = failure();
    await vi.waitFor(() => expect(podsOf(cluster)).toHaveLength(1), 10_000);
    cluster.store.remove('pods', podsOf(cluster)[0] ?? '');
    expect(await failed).toContain('the pod POD did not start: it was deleted');
  });
});

describe('an answer of the API server', () => {
  it.each<[string, Fault, string]>([
    [
      'create pods',
      { status: 403, message: 'pods "a" is forbidden: exceeded quota: toolwright-guests' },
      'raise the ResourceQuota',
    ],
    [
      'create pods',
      { status: 403, message: 'violates PodSecurity "restricted:latest"' },
      'correct the admission policy',
    ],
    ['create pods', { status: 403, message: 'User "worker" cannot create resource "pods"' }, 'which has the Role'],
    [
      'create pods',
      { status: 404, message: 'namespaces "toolwright-guests" not found' },
      'correct kubernetes.namespace',
    ],
    ['create pods', { status: 409, message: 'pods "a" already exists' }, 'status 409: pods "a" already exists'],
    [
      'create leases',
      { status: 500, message: 'etcdserver: request timed out' },
      'status 500: etcdserver: request timed out (try again later',
    ],
  ])('to "%s": %s is an error with its message and a fix', async (request, fault, text) => {
    failTimes(request, 100, fault);
    expect(await failure()).toContain(text);
    cluster.settings.fault = () => undefined;
    expect(await run(sandbox, ONE)).toEqual(COMPLETED);
  });

  it.each<[string, number, Fault]>([
    ['create pods', 2, { status: 429, headers: { 'retry-after': '0' } }],
    ['get pods', 2, { status: 503 }],
    ['create leases', 1, { status: 401 }],
    ['watch pods', 1, { status: 410, message: 'too old resource version' }],
  ])('to "%s", %i times %o, only delays a program', async (request, times, fault) => {
    failTimes(request, times, fault);
    expect(await run(open(), ONE)).toEqual(COMPLETED);
  });

  it('that a watch is too old makes it read again', async () => {
    cluster.kubelet.fate = 'pending';
    const outcome = run(open(), ONE);
    await vi.waitFor(() => expect(cluster.requests).toContain('watch pods'), 10_000);
    const [pod = ''] = podsOf(cluster);
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [] };
    cluster.store.compact();
    cluster.store.change('pods', pod, { status });
    expect(await outcome).toEqual(COMPLETED);
  });
});

describe('the token', () => {
  it('may be replaced at any time', async () => {
    const opened = open();
    expect(await run(opened, ONE)).toEqual(COMPLETED);
    cluster.rotateToken('token-2');
    expect(await run(opened, ONE)).toEqual(COMPLETED);
  });

  it('that has expired is an error, which does not contain it', async () => {
    const opened = open({ kubeconfig: otherConfig('expired-token') });
    const { message } = await failureOf(run(opened, ONE));
    expect(message).toContain('status 401: Unauthorized (renew the token');
    expect(message).not.toContain('expired-token');
  });

  it('of another account opens no stream of a pod', async () => {
    const { outcome } = await runUntilCall(open());
    const [pod = ''] = podsOf(cluster);
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${pod}/exec`;
    const query = { command: guestCommand({ guest: 'javascript', memoryBytes: 1, cpuPercent: 1 }), stdout: 'true' };
    const tls = { ca: readFileSync(join(cluster.folder, 'server.crt')) };
    const opening = (token: string) =>
      createApi({ server: new URL(cluster.url), source: 'a test', tls, token: async () => token }).exec(path, query);
    await expect(opening('token-of-another')).rejects.toMatchObject({ status: 401 });
    cluster.settings.allows = (request) => request !== 'create pods/exec';
    await expect(opening('token-1')).rejects.toMatchObject({ status: 403 });
    cluster.settings.allows = () => true;
    (await opening('token-1')).terminate();
    await sandbox[Symbol.asyncDispose]();
    expect((await failureOf(outcome)).code).toBe('SANDBOX_LOST');
  });

  it('is not sent to a server with an unknown certificate, or without TLS', async () => {
    const server = new URL(cluster.url);
    const sent = vi.fn(async () => 'token-1');
    await expect(createApi({ server, source: 'a test', tls: {}, token: sent }).call('GET', '/version')).rejects.toThrow(
      /certificate/,
    );
    const plain = { server: new URL('http://192.0.2.1:8080'), source: 'a test', tls: {}, token: sent };
    await expect(createApi(plain).call('GET', '/version')).rejects.toThrow(
      'http://192.0.2.1:8080 has no TLS: a token is sent only to an address that begins with https://',
    );
    expect(cluster.requests).toEqual([]);
    open();
  });
});

describe('a program ends with a clear error when', () => {
  it.each<[string, object, string]>([
    [
      'is evicted',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
      'Evicted: The node was low on resource: memory.',
    ],
    [
      'reaches its end',
      {
        phase: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      },
      'DeadlineExceeded: Pod was active',
    ],
  ])('its pod %s', async (_text, status, reason) => {
    const { outcome } = await runUntilCall(open());
    cluster.kubelet.endPod(podsOf(cluster)[0] ?? '', status);
    const { code, message } = await failureOf(outcome);
    expect([code, message]).toEqual(['SANDBOX_LOST', expect.stringContaining(reason)]);
    expect(message).toContain('The journal shows whether its last calls were made.');
    expect(await run(sandbox, ONE)).toEqual(COMPLETED);
  });

  it('its pod is deleted', async () => {
    const { outcome } = await runUntilCall(open());
    cluster.store.remove('pods', podsOf(cluster)[0] ?? '');
    expect((await failureOf(outcome)).message).toMatch(
      /^The pod toolwright-\S+ was lost while a program ran: it was deleted\./,
    );
  });

  it('the API server restarts', async () => {
    const { outcome } = await runUntilCall(open());
    await cluster.restart();
    const { code, message } = await failureOf(outcome);
    expect([code, message]).toEqual(['SANDBOX_LOST', expect.stringContaining('the connection to it was closed')]);
    expect(await run(sandbox, ONE)).toEqual(COMPLETED);
  });

  it('the API server is gone, and the next program reports that too', async () => {
    const { outcome } = await runUntilCall(open());
    const back = cluster.restart(3_000);
    const { code, message } = await failureOf(outcome);
    expect([code, message]).toEqual([
      'SANDBOX_LOST',
      expect.stringMatching(/connection to it was closed; the API server \S+ does not answer/),
    ]);
    const next = await failureOf(run(sandbox, ONE));
    expect([next.code, next.message]).toEqual([
      'SANDBOX_UNAVAILABLE',
      expect.stringMatching(
        /^The sandbox "kubernetes" is not available: the API server \S+ does not answer: .*ECONNREFUSED/,
      ),
    ]);
    await back;
    expect(await run(sandbox, ONE)).toEqual(COMPLETED);
  });
});

it('a pod that reaches the memory limit of its container stops its program', async () => {
  const { outcome } = await runUntilCall(open());
  const terminated = { reason: 'OOMKilled', exitCode: 137 };
  cluster.kubelet.endPod(podsOf(cluster)[0] ?? '', {
    phase: 'Failed',
    containerStatuses: [{ name: 'guest', state: { terminated } }],
  });
  expect(await outcome).toEqual({ status: 'stopped', limit: 'memory' });
});

describe('a hostile pod', () => {
  const guest = (script: string) => ['/bin/sh', '-c', script];

  it.each<[string, string]>([
    ['sends random bytes', 'head -c 300000 /dev/urandom; exec sleep 60'],
    ['sends a frame that is too large', "printf '\\377\\377\\377\\377'; exec cat /dev/zero"],
    ['ends at once', 'exit 0'],
    ['is silent and ends', 'sleep 0.3; exit 3'],
  ])('that %s is an error, and its pod is removed', async (_text, script) => {
    cluster.kubelet.command = guest(script);
    const opened = open();
    const cancel = AbortSignal.timeout(5_000);
    const { code } = await failureOf(run(opened, ONE, { signal: cancel }));
    expect(code).toMatch(/^(SANDBOX_UNAVAILABLE|SANDBOX_LOST|BRIDGE_PROTOCOL)$/);
    cluster.kubelet.command = undefined;
    expect(await run(opened, ONE)).toEqual(COMPLETED);
  });
});

/** Writes a kubeconfig for the same cluster with another token. */
function otherConfig(token: string): string {
  cluster.rotateToken('token-2');
  const config = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8'));
  config.users[0].user = { token };
  const path = join(cluster.folder, 'other');
  writeFileSync(path, JSON.stringify(config));
  return path;
}
