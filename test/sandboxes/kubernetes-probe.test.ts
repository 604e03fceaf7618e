import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSandboxes } from '../../packages/sandbox/src/sandboxes/choose.ts';
import { CLAIM_RIGHTS, POD_RIGHTS, type Right } from '../../packages/sandbox/src/sandboxes/kubernetes/api/rights.ts';
import { probeKubernetes } from '../../packages/sandbox/src/sandboxes/kubernetes.ts';
import { DEPLOYMENTS } from '../deploy/deployments.ts';
import { idOf, render } from '../deploy/kustomize.ts';
import { at, list } from '../deploy/yaml.ts';
import { type FakeCluster, NAMESPACE, startCluster } from '../fixtures/kubernetes/api-server.ts';
import { applyGuests, WARM_POOL } from '../fixtures/kubernetes/guests.ts';
import { COMPLETED, ONE, run } from '../fixtures/kubernetes/programs.ts';

let cluster: FakeCluster;

beforeEach(async () => {
  cluster = await startCluster();
  applyGuests(cluster);
});
afterEach(() => cluster.stop());

const probe = (warmPool?: string) =>
  probeKubernetes({ kubeconfig: cluster.kubeconfig, image: 'guest:1', ...(warmPool ? { warmPool } : {}) });

describe('a cluster', () => {
  it('that can run programs is available, with the place of its pods', async () => {
    const found = `Kubernetes v1.35.2 by the context "test", namespace ${NAMESPACE}, image guest:1`;
    expect(await probe()).toEqual({ available: true, reason: `${found}, a new pod for each program` });
    expect(await probe(WARM_POOL)).toEqual({
      available: true,
      reason: `${found}, pods of the warm pool "${WARM_POOL}"`,
    });
  });

  it('without the warm pool is available, and the reason names that', async () => {
    expect((await probe('other')).reason).toContain(
      `a new pod for each program, because there is no SandboxWarmPool "other" in the namespace "${NAMESPACE}"`,
    );
    cluster.settings.allows = (request) => !request.endsWith('sandboxclaims');
    expect((await probe(WARM_POOL)).reason).toContain(
      'because rights for the warm pool are missing: apiGroups ["extensions.agents.x-k8s.io"], resources ["sandboxclaims"], verbs ["create"',
    );
    cluster.settings.allows = () => true;
    cluster.store.change('sandboxtemplates', WARM_POOL, { spec: { networkPolicy: { egress: [{}] } } });
    expect((await probe(WARM_POOL)).reason).toContain('allows network connections: set ingress and egress to []');
  });

  it('without a right names the rule', async () => {
    cluster.settings.allows = (request) => !['create pods/exec', 'list leases', 'delete pods'].includes(request);
    expect(await probe()).toEqual({
      available: false,
      reason:
        `the namespace "${NAMESPACE}" lacks rights: apiGroups [""], resources ["pods"], verbs ["delete"]; ` +
        'apiGroups [""], resources ["pods/exec"], verbs ["create"]; ' +
        'apiGroups ["coordination.k8s.io"], resources ["leases"], verbs ["list"]',
      fix: 'add these rules to the Role of the service account, or apply deploy/kubernetes/overlays/guests',
    });
  });

  it('with a network for its pods is not available', async () => {
    cluster.store.remove('networkpolicies', NAMESPACE);
    const fix = 'apply deploy/kubernetes/overlays/guests/network-policy.yaml';
    const none = `no NetworkPolicy forbids ingress and egress for pods of programs in the namespace "${NAMESPACE}"`;
    expect(await probe()).toEqual({ available: false, reason: none, fix });
    applyGuests(cluster);
    const spec = { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'toolwright' } }, egress: [{}] };
    cluster.store.add('networkpolicies', { metadata: { name: 'open' }, spec });
    const open = `the NetworkPolicy "open" allows connections of pods of programs in the namespace "${NAMESPACE}"`;
    expect(await probe()).toEqual({ available: false, reason: open, fix });
  });

  it('that is too old, or refuses the token, or does not answer, is not available', async () => {
    cluster.settings.version = { gitVersion: 'v1.28.9', minor: '28+' };
    expect(await probe()).toEqual({
      available: false,
      reason: `${cluster.url} is Kubernetes v1.28.9, but 1.30 is required`,
      fix: 'upgrade the cluster',
    });
    cluster.rotateToken('token-2');
    writeFileSync(join(cluster.folder, 'token'), 'old');
    expect(await probe()).toMatchObject({ available: false, fix: expect.stringContaining('renew the token') });
    const down = cluster.restart(2_000);
    expect(await probe()).toMatchObject({ reason: expect.stringContaining(`${cluster.url} does not answer: `) });
    await down;
  });

  it('is chosen by name only, and an error if it does not work', async () => {
    vi.stubEnv('KUBECONFIG', cluster.kubeconfig);
    try {
      await using set = openSandboxes({
        sandbox: 'kubernetes',
        memoryBytes: 128 * 1024 * 1024,
        settings: { kubernetes: { warmPool: WARM_POOL } },
      });
      const { sandbox, reason } = await set.for('javascript');
      expect(reason).toContain('chosen by name: Kubernetes v1.35.2');
      expect(await run(sandbox, ONE)).toEqual(COMPLETED);
      cluster.settings.allows = () => false;
      await using other = openSandboxes({ sandbox: 'kubernetes', memoryBytes: 1 });
      await expect(other.for('javascript')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('without a cluster', () => {
  let home = '';
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'toolwright-home-'));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it('the sandbox is not available, and the fix names both ways', async () => {
    for (const [name, value] of Object.entries({ HOME: home, KUBECONFIG: '', KUBERNETES_SERVICE_HOST: '' }))
      vi.stubEnv(name, value);
    expect(await probeKubernetes()).toEqual({
      available: false,
      reason: 'there is no cluster: no service account in this pod, and no kubeconfig',
      fix: 'run Toolwright in a pod with automountServiceAccountToken, or set KUBECONFIG',
    });
    vi.unstubAllEnvs();
  });
});

describe('deploy/kubernetes', () => {
  const guests = render(DEPLOYMENTS['guests with warm-pool']);

  it.each<[string, readonly Right[]]>([
    ['Role toolwright-guests', POD_RIGHTS],
    ['Role toolwright-warm-pool', CLAIM_RIGHTS],
  ])('%s has the rights that the sandbox needs, and no others', (id, rights) => {
    const role = guests.find((resource) => idOf(resource) === id);
    const wanted = rights.map(({ apiGroup, resources, verbs }) => ({ apiGroups: [apiGroup], resources, verbs }));
    expect(list(role, 'rules')).toEqual(wanted);
    expect(at(role, 'metadata.namespace')).toBe(NAMESPACE);
  });
});
