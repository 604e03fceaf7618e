import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../packages/core/src/config/config.ts';
import { render } from './kustomize.ts';
import { at, DEPLOY, list, readYaml } from './yaml.ts';

const FOLDER = join(DEPLOY, 'kubernetes');
const resources = render('kubernetes');
const manifests = new Map(resources.map((resource) => [String(resource.kind), resource]));
const of = (kind: string) => manifests.get(kind);
const deployment = at(of('Deployment'), 'spec');
const pod = at(deployment, 'template.spec');
const [container, ...others] = list(pod, 'containers');
const dockerfile = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8');
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

it('has all resources of a server, each with its correct API version', () => {
  const versions = resources.map(({ apiVersion, kind }) => `${kind} ${apiVersion}`).sort();
  expect(versions).toEqual([
    'ConfigMap v1',
    'Deployment apps/v1',
    'Namespace v1',
    'NetworkPolicy networking.k8s.io/v1',
    'PersistentVolumeClaim v1',
    'PodDisruptionBudget policy/v1',
    'Service v1',
    'ServiceAccount v1',
  ]);
});

it('grants the pod nothing beyond the level "restricted"', () => {
  expect(of('Namespace')).toMatchObject({
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  expect(others).toEqual([]);
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  for (const shared of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod).not.toHaveProperty(shared);
  expect(at(container, 'securityContext')).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    privileged: false,
    capabilities: { drop: ['ALL'] },
  });
  const kinds = list(pod, 'volumes').flatMap((volume) => Object.keys(Object(volume)).filter((key) => key !== 'name'));
  expect(kinds.sort()).toEqual(['configMap', 'emptyDir', 'persistentVolumeClaim']);
});

it('runs the image unchanged', () => {
  expect(at(container, 'image')).toBe(`toolwright:${manifest.version}`);
  expect(dockerfile).toContain(`USER ${at(pod, 'securityContext.runAsUser')}:${at(pod, 'securityContext.runAsGroup')}`);
  expect(dockerfile).toContain(`EXPOSE ${at(container, 'ports.0.containerPort')}`);
  const mounts = list(container, 'volumeMounts');
  expect(mounts.map((mount) => at(mount, 'mountPath'))).toEqual(['/data', '/tmp', '/config']);
  const names = list(pod, 'volumes').map((volume) => at(volume, 'name'));
  expect(mounts.map((mount) => at(mount, 'name'))).toEqual(names);
});

it('limits the resources of the pod, and contains no secret', () => {
  for (const kind of ['requests', 'limits']) {
    expect(Object.keys(Object(at(container, `resources.${kind}`))).sort()).toEqual([
      'cpu',
      'ephemeral-storage',
      'memory',
    ]);
  }
  expect(list(pod, 'volumes')).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit: expect.any(String) } });
  for (const variable of list(container, 'env')) {
    if (/STORE|KEY|TOKEN|PASSWORD/.test(String(at(variable, 'name')))) expect(variable).not.toHaveProperty('value');
  }
});

it('checks the health of the server by existing routes', () => {
  const probes = { startupProbe: '/health', livenessProbe: '/health', readinessProbe: '/ready' };
  for (const [probe, path] of Object.entries(probes)) {
    expect(at(container, `${probe}.httpGet`)).toEqual({
      path,
      port: 'http',
      httpHeaders: [{ name: 'Host', value: 'localhost' }],
    });
  }
  expect(Number(at(pod, 'terminationGracePeriodSeconds'))).toBeGreaterThanOrEqual(60);
});

it('lets only one process use the volume', () => {
  expect(deployment).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  expect(at(of('PersistentVolumeClaim'), 'spec')).toMatchObject({ accessModes: ['ReadWriteOnce'] });
});

it('finds the pod by its labels everywhere', () => {
  const labels = { 'app.kubernetes.io/name': 'toolwright' };
  expect(at(deployment, 'template.metadata')).toMatchObject({ labels });
  expect(at(deployment, 'selector')).toEqual({ matchLabels: labels });
  expect(at(of('Service'), 'spec')).toMatchObject({ selector: labels, ports: [{ targetPort: 'http' }] });
  expect(at(of('NetworkPolicy'), 'spec')).toMatchObject({ podSelector: { matchLabels: labels } });
  expect(at(of('PodDisruptionBudget'), 'spec')).toMatchObject({ selector: { matchLabels: labels }, maxUnavailable: 1 });
});

it('allows only named connections, and never one to the metadata of a cloud', () => {
  const policy = at(of('NetworkPolicy'), 'spec');
  expect(at(policy, 'policyTypes')).toEqual(['Ingress', 'Egress']);
  const rules = [...list(policy, 'ingress'), ...list(policy, 'egress')];
  for (const rule of rules) {
    expect([...list(rule, 'from'), ...list(rule, 'to')].length).toBeGreaterThan(0);
    expect(list(rule, 'ports').length).toBeGreaterThan(0);
  }
  const blocks = rules.flatMap((rule) => list(rule, 'to')).flatMap((peer) => at(peer, 'ipBlock') ?? []);
  expect(blocks.map((block) => at(block, 'cidr'))).toEqual(['0.0.0.0/0', '::/0']);
  const except = blocks.flatMap((block) => list(block, 'except'));
  expect(except).toEqual(
    expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']),
  );
});

it('contains a valid configuration', async () => {
  const config = await loadConfig({ path: join(FOLDER, 'base/toolwright.json'), env: {} });
  expect(config.servers.size).toBe(0);
  expect(readFileSync(join(FOLDER, 'base/toolwright.json'), 'utf8')).toBe(
    readFileSync(join(DEPLOY, 'toolwright.json'), 'utf8'),
  );
});

it('creates the first key in a pod like that of the server, with the same volume and state', () => {
  const [job, ...more] = readYaml('kubernetes/jobs/create-key.yaml');
  const jobPod = at(job, 'spec.template.spec');
  expect(more).toEqual([]);
  for (const path of ['securityContext', 'serviceAccountName', 'automountServiceAccountToken', 'volumes.0']) {
    expect(at(jobPod, path), path).toEqual(at(pod, path));
  }
  for (const path of ['image', 'securityContext', 'volumeMounts.0', 'volumeMounts.1']) {
    expect(at(jobPod, `containers.0.${path}`), path).toEqual(at(container, path));
  }
  const [address] = list(jobPod, 'containers.0.env');
  expect(list(container, 'env')).toContainEqual(address);
  expect(at(jobPod, 'containers.0.resources.limits')).toBeDefined();
  expect(list(jobPod, 'containers.0.args').slice(0, 2)).toEqual(['keys', 'create']);
});
