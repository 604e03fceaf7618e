import type { SandboxProbe } from '../sandbox.ts';
import { createApi, type KubernetesApi } from './api/api.ts';
import { findAccess } from './api/find-access.ts';
import { CLAIM_RIGHTS, missingRights, POD_RIGHTS } from './api/rights.ts';
import { type Listed, listOf } from './cluster.ts';
import { diagnose } from './diagnosis.ts';
import { POD_LABELS } from './pod-config.ts';
import { readWarmPool } from './warm-pool.ts';

/** An API server that does not answer within this time is reported. */
const TIMEOUT_MS = 5_000;
/** The first version with the exec protocol that the sandbox speaks. */
const MIN_MINOR = 30;

interface ProbedSettings {
  readonly namespace: string;
  readonly warmPool: string | undefined;
  readonly image: string;
  readonly kubeconfig: string | undefined;
}

/** Returns whether pods can be started: checks the cluster, its version, the rights, the network and the warm pool. Starts no pod. */
export async function probeCluster(settings: ProbedSettings): Promise<SandboxProbe> {
  let api: KubernetesApi | undefined;
  try {
    const access = await findAccess(settings.kubeconfig);
    api = createApi(access);
    const { gitVersion, minor } = Object(await api.call('GET', '/version', { timeoutMs: TIMEOUT_MS }));
    if (Number.parseInt(String(minor), 10) < MIN_MINOR) {
      return lacking(
        `${api.address} is Kubernetes ${gitVersion}, but 1.${MIN_MINOR} is required`,
        'upgrade the cluster',
      );
    }
    return (
      (await problemOfNamespace(api, settings)) ?? {
        available: true,
        reason: `Kubernetes ${gitVersion} by ${access.source}, namespace ${settings.namespace}, image ${settings.image}, ${await podsOf(api, settings)}`,
      }
    );
  } catch (error) {
    return { available: false, ...diagnose(error, api?.address) };
  } finally {
    api?.close();
  }
}

async function problemOfNamespace(
  api: KubernetesApi,
  { namespace }: ProbedSettings,
): Promise<SandboxProbe | undefined> {
  const missing = await missingRights(api, namespace, POD_RIGHTS, TIMEOUT_MS);
  if (missing.length > 0) {
    return lacking(
      `the namespace "${namespace}" lacks rights: ${missing.join('; ')}`,
      'add these rules to the Role of the service account, or apply deploy/kubernetes/overlays/guests',
    );
  }
  const network = openNetwork(await listOf(api, namespace, 'networkPolicies'), POD_LABELS);
  if (network === undefined) return undefined;
  return lacking(
    `${network} in the namespace "${namespace}"`,
    'apply deploy/kubernetes/overlays/guests/network-policy.yaml',
  );
}

/** Returns where pods come from, in words. A missing pool is no error: new pods only start more slowly. */
async function podsOf(api: KubernetesApi, { namespace, warmPool }: ProbedSettings): Promise<string> {
  if (warmPool === undefined) return 'a new pod for each program';
  const missing = await missingRights(api, namespace, CLAIM_RIGHTS, TIMEOUT_MS);
  if (missing.length > 0)
    return `a new pod for each program, because rights for the warm pool are missing: ${missing.join('; ')}`;
  const { problem } = await readWarmPool(api, namespace, warmPool);
  if (problem !== undefined) return `a new pod for each program, because ${problem}`;
  return `pods of the warm pool "${warmPool}"`;
}

function lacking(reason: string, fix: string): SandboxProbe {
  return { available: false, reason, fix };
}

/**
 * Returns the reason why pods with the given labels have a network; `undefined` if policies forbid each connection. Policies add up:
 * one must select the pods for both directions, and none that selects them may have a rule.
 */
export function openNetwork(policies: readonly Listed[], labels: Readonly<Record<string, string>>): string | undefined {
  const selected = policies.filter(({ spec }) => selects(Object(spec).podSelector, labels));
  const opens = selected.find(({ spec }) =>
    [Object(spec).ingress, Object(spec).egress].some((rules) => rules?.length > 0),
  );
  if (opens) return `the NetworkPolicy "${opens.metadata?.name}" allows connections of pods of programs`;
  const types = new Set(selected.flatMap(({ spec }) => Object(spec).policyTypes ?? ['Ingress']));
  const missing = ['Ingress', 'Egress'].filter((type) => !types.has(type));
  return missing.length === 0
    ? undefined
    : `no NetworkPolicy forbids ${missing.join(' and ').toLowerCase()} for pods of programs`;
}

/** Returns whether a selector may select pods with these labels. Expressions are taken to select them. */
function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels } = Object(selector);
  return Object.entries(Object(matchLabels)).every(([name, value]) => labels[name] === value);
}
