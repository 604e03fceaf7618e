import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEPLOYMENTS } from './deployments.ts';
import { idOf, type Resource, render } from './kustomize.ts';
import { at, DEPLOY, list, readYaml } from './yaml.ts';

const ROLES = ['api', 'worker'] as const;
const { version } = JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8'));
const cluster = render(DEPLOYMENTS.cluster);
const whole = render(DEPLOYMENTS['cluster with all components']);
const guests = render(DEPLOYMENTS['guests with warm-pool']);
const all = [...whole, ...guests];
const [job] = readYaml('kubernetes/jobs/create-key-cluster.yaml').map((resource): Resource => Object(resource));

const named = (resources: readonly Resource[], id: string) => resources.find((resource) => idOf(resource) === id);
const find = (id: string, resources = all) => named(resources, id) ?? expect.fail(`there is no ${id}`);
const kind = (name: string) => all.filter((resource) => resource.kind === name);
const podOf = (role: string, resources = all) => at(find(`Deployment toolwright-${role}`, resources), 'spec.template');
const warmPod = at(find('SandboxTemplate toolwright-guest'), 'spec.podTemplate');
const pods = [...ROLES.map((role) => podOf(role)), at(job, 'spec.template'), warmPod];
const labelsOf = (role: string) => ({ 'app.kubernetes.io/name': 'toolwright', 'app.kubernetes.io/component': role });

describe('every pod', () => {
  it('runs an image of this version', () => {
    const images = pods.flatMap((pod) => list(pod, 'spec.containers').map((container) => at(container, 'image')));
    expect(new Set(images)).toEqual(new Set([`toolwright:${version}`, `toolwright-guest:${version}`]));
    const worker = find('Deployment toolwright-worker', whole);
    const env = list(worker, 'spec.template.spec.containers.0.env');
    expect(env).toContainEqual({ name: 'TOOLWRIGHT_KUBERNETES_IMAGE', value: `toolwright-guest:${version}` });
  });

  it('has the level "restricted", limits, and no file of its node', () => {
    for (const pod of pods) {
      expect(at(pod, 'spec.securityContext')).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const shared of ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers']) {
        expect(at(pod, 'spec')).not.toHaveProperty(shared);
      }
      expect(at(pod, 'spec.enableServiceLinks')).toBe(false);
      for (const container of list(pod, 'spec.containers')) {
        expect(at(container, 'securityContext')).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          privileged: false,
          capabilities: { drop: ['ALL'] },
        });
        expect(Object.keys(Object(at(container, 'resources.limits'))).sort()).toEqual([
          'cpu',
          'ephemeral-storage',
          'memory',
        ]);
      }
      const volumes = list(pod, 'spec.volumes').map((volume) => Object.keys(Object(volume)).sort());
      expect(new Set(volumes.flat())).toEqual(
        new Set(['name', 'emptyDir', ...(pod === warmPod || pod === at(job, 'spec.template') ? [] : ['configMap'])]),
      );
    }
    for (const namespace of kind('Namespace')) {
      expect(at(namespace, 'metadata.labels')).toEqual({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    }
  });

  it('has no token of its service account, except workers that start pods', () => {
    const tokens = pods.map((pod) => at(pod, 'spec.automountServiceAccountToken'));
    expect(tokens).toEqual([false, true, false, false]);
    expect(at(podOf('worker', cluster), 'spec.automountServiceAccountToken')).toBe(false);
    for (const account of kind('ServiceAccount'))
      expect(account).toMatchObject({ automountServiceAccountToken: false });
  });
});

describe.each(ROLES)('the role %s', (role) => {
  const deployment = find(`Deployment toolwright-${role}`, cluster);
  const container = at(deployment, 'spec.template.spec.containers.0');

  it('is the same image with another argument', () => {
    expect(list(container, 'args')).toEqual(['serve', '--role', role, '--host', '0.0.0.0']);
    expect(at(container, 'image')).toBe(`toolwright:${version}`);
  });

  it('is replaced pod by pod, and finishes its work before', () => {
    expect(at(deployment, 'spec.strategy.rollingUpdate')).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(at(deployment, 'spec')).not.toHaveProperty('replicas');
    expect(Number(at(deployment, 'spec.template.spec.terminationGracePeriodSeconds'))).toBeGreaterThanOrEqual(60);
  });

  it('is checked by existing routes', () => {
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) =>
      at(container, `${probe}.httpGet.path`),
    );
    expect(paths).toEqual(['/health', '/health', '/ready']);
  });

  it('reads all addresses and keys from the Secret', () => {
    const env = list(container, 'env');
    const fromSecret = env.filter((variable) => at(variable, 'valueFrom') !== undefined);
    expect(fromSecret.map((variable) => at(variable, 'name'))).toEqual([
      'TOOLWRIGHT_STORE',
      'TOOLWRIGHT_REDIS',
      'TOOLWRIGHT_BLOBS',
      'TOOLWRIGHT_MASTER_KEY',
    ]);
    const keys = fromSecret.map((variable) => at(variable, 'valueFrom.secretKeyRef.key'));
    const external = find('ExternalSecret toolwright');
    expect(list(external, 'spec.data').map((entry) => at(entry, 'secretKey'))).toEqual(keys);
    for (const variable of fromSecret) {
      expect(at(variable, 'valueFrom.secretKeyRef.name')).toBe(at(external, 'spec.target.name'));
    }
  });

  it('spreads over zones and nodes, and may be evicted in part', () => {
    const constraints = list(deployment, 'spec.template.spec.topologySpreadConstraints');
    expect(constraints.map((constraint) => at(constraint, 'topologyKey'))).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    for (const constraint of constraints) {
      expect(at(constraint, 'labelSelector.matchLabels')).toEqual(labelsOf(role));
    }
    const budget = find(`PodDisruptionBudget toolwright-${role}`);
    expect(at(budget, 'spec.selector.matchLabels')).toEqual(labelsOf(role));
  });

  it('has labels that its selectors find', () => {
    expect(at(deployment, 'spec.selector.matchLabels')).toEqual(labelsOf(role));
    expect(at(deployment, 'spec.template.metadata.labels')).toEqual(labelsOf(role));
  });

  it('has a service account and a config map of its namespace', () => {
    const spec = at(deployment, 'spec.template.spec');
    find(`ServiceAccount ${at(spec, 'serviceAccountName')}`, cluster);
    const mapped = list(spec, 'volumes').find((volume) => at(volume, 'configMap') !== undefined);
    find(`ConfigMap ${at(mapped, 'configMap.name')}`, cluster);
  });
});

describe('the number of processes', () => {
  it('follows existing deployments, and never falls below two', () => {
    for (const scaler of [
      ...kind('HorizontalPodAutoscaler'),
      ...kind('ScaledObject'),
      ...render(DEPLOYMENTS.cluster).filter((one) => one.kind === 'HorizontalPodAutoscaler'),
    ]) {
      find(`Deployment ${at(scaler, 'spec.scaleTargetRef.name')}`);
      expect(at(scaler, 'spec.minReplicas') ?? at(scaler, 'spec.minReplicaCount')).toBe(2);
    }
  });

  it('of workers follows the same metric with the Prometheus adapter and with KEDA, one of them at a time', () => {
    const metric = at(find('HorizontalPodAutoscaler toolwright-worker', cluster), 'spec.metrics.0.external');
    expect(at(metric, 'metric')).toEqual({
      name: 'toolwright_work',
      selector: { matchLabels: { state: 'ready' } },
    });
    expect(named(whole, 'HorizontalPodAutoscaler toolwright-worker')).toBeUndefined();
    const trigger = at(find('ScaledObject toolwright-worker'), 'spec.triggers.0.metadata');
    expect(at(trigger, 'query')).toBe('max(toolwright_work{state="ready"})');
    expect(at(trigger, 'threshold')).toBe(at(metric, 'target.averageValue'));
    const adapter = parse(readFileSync(join(DEPLOY, 'kubernetes/prometheus-adapter.yaml'), 'utf8'));
    expect(at(adapter, 'rules.external.0.seriesQuery')).toContain('toolwright_work');
    expect(at(adapter, 'rules.external.0.name.as')).toBe('toolwright_work');
    expect(at(adapter, 'rules.external.0.metricsQuery')).toMatch(/^max\(/);
  });
});

describe('the network', () => {
  const policy = (name: string) => at(find(`NetworkPolicy ${name}`), 'spec');

  it('sends requests to the role api only', () => {
    expect(at(find('Service toolwright'), 'spec.selector')).toEqual(labelsOf('api'));
    expect(policy('toolwright-api')).toMatchObject({ podSelector: { matchLabels: labelsOf('api') } });
  });

  it('is closed, except for named connections', () => {
    expect(policy('toolwright')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    for (const { spec } of kind('NetworkPolicy')) {
      for (const rule of [...list(spec, 'ingress'), ...list(spec, 'egress')]) {
        expect([...list(rule, 'from'), ...list(rule, 'to')].length).toBeGreaterThan(0);
        expect(list(rule, 'ports').length).toBeGreaterThan(0);
      }
    }
    const blocks = list(policy('toolwright-egress'), 'egress').flatMap((rule) => list(rule, 'to'));
    expect(blocks.flatMap((block) => list(block, 'ipBlock.except'))).toContain('169.254.0.0/16');
  });

  it('lets only the monitoring into workers', () => {
    expect(policy('toolwright-worker')).toMatchObject({
      podSelector: { matchLabels: labelsOf('worker') },
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }] }],
    });
  });

  it('has a way to the API server only for workers that start pods', () => {
    expect(named(cluster, 'NetworkPolicy toolwright-worker-to-api-server')).toBeUndefined();
    expect(policy('toolwright-worker-to-api-server')).toMatchObject({
      podSelector: { matchLabels: labelsOf('worker') },
    });
  });

  it('does not exist for programs', () => {
    expect(policy('toolwright-guests')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const template = at(find('SandboxTemplate toolwright-guest'), 'spec');
    expect(at(template, 'networkPolicy')).toEqual({ ingress: [], egress: [] });
  });
});

describe('rights', () => {
  it('belong to the service account of the workers, in the namespace of the programs', () => {
    for (const binding of kind('RoleBinding')) {
      find(`Role ${at(binding, 'roleRef.name')}`, guests);
      expect(at(binding, 'metadata.namespace')).toBe('toolwright-guests');
      const [subject, ...others] = list(binding, 'subjects');
      expect(others).toEqual([]);
      const account = find(`ServiceAccount ${at(subject, 'name')}`, whole);
      expect(at(subject, 'namespace')).toBe(at(account, 'metadata.namespace'));
      expect(at(podOf('worker'), 'spec.serviceAccountName')).toBe(at(subject, 'name'));
    }
  });

  it('include no Secret and no wildcard', () => {
    const rules = kind('Role').flatMap((role) => list(role, 'rules'));
    const texts = rules.flatMap((rule) => [
      ...list(rule, 'resources'),
      ...list(rule, 'verbs'),
      ...list(rule, 'apiGroups'),
    ]);
    expect(texts.filter((text) => /secrets|\*/.test(String(text)))).toEqual([]);
  });
});

it('the warm pool has pods of its template, and the workers claim from it', () => {
  const pool = find('SandboxWarmPool toolwright-guest');
  find(`SandboxTemplate ${at(pool, 'spec.sandboxTemplateRef.name')}`);
  const env = list(podOf('worker'), 'spec.containers.0.env');
  expect(env).toContainEqual({ name: 'TOOLWRIGHT_KUBERNETES_WARM_POOL', value: at(pool, 'metadata.name') });
  expect(env).toContainEqual({ name: 'TOOLWRIGHT_KUBERNETES_NAMESPACE', value: at(pool, 'metadata.namespace') });
});

it('no resource is a Secret, and no variable has a secret as its value', () => {
  expect(kind('Secret')).toEqual([]);
  const variables = pods.flatMap((pod) => list(pod, 'spec.containers').flatMap((container) => list(container, 'env')));
  for (const variable of variables) {
    if (/STORE|REDIS|BLOBS|KEY|TOKEN|PASSWORD/.test(String(at(variable, 'name')))) {
      expect(variable).not.toHaveProperty('value');
    }
  }
});

it('the job creates a key in the same store as the processes', () => {
  const env = list(job, 'spec.template.spec.containers.0.env');
  for (const variable of env) expect(list(podOf('api', cluster), 'spec.containers.0.env')).toContainEqual(variable);
  find(`ServiceAccount ${at(job, 'spec.template.spec.serviceAccountName')}`, cluster);
  // The policy for outgoing connections selects it by this label; the Service does not.
  expect(at(job, 'spec.template.metadata.labels')).toMatchObject({ 'app.kubernetes.io/name': 'toolwright' });
});
