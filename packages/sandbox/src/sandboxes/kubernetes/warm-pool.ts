import type { GuestKind } from '../pool/pooled.ts';
import type { KubernetesApi } from './api/api.ts';
import { isMissing } from './api/api-error.ts';
import { pathOf } from './cluster.ts';
import { podMemoryBytes, podProcessorMilli } from './pod-config.ts';

/** A warm pool, as far as programs depend on it. */
export interface WarmPool {
  /** Returns whether a pod of the pool enforces the limits of a guest. */
  fits(kind: GuestKind): boolean;
  /** The reason why no pod is claimed from it: it does not exist, or its pods have more rights than a guest may have. */
  readonly problem?: string;
}

/** A pod may have this much more memory than the guest may use. */
const SLACK_BYTES = 32 * 1024 * 1024;
const MILLI = 1_000;

const UNIT_FACTORS: Readonly<Record<string, number>> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Reads a pool of agent-sandbox and its template. Rejects with an `ApiError`, but not if they do not exist. */
export async function readWarmPool(api: KubernetesApi, namespace: string, name: string): Promise<WarmPool> {
  const pool = await read(api, pathOf(namespace, 'warmPools', name));
  if (pool === undefined) return missing(`there is no SandboxWarmPool "${name}" in the namespace "${namespace}"`);
  const { sandboxTemplateRef } = Object(Object(pool).spec);
  const templateName = String(Object(sandboxTemplateRef).name);
  const template = await read(api, pathOf(namespace, 'templates', templateName));
  if (template === undefined) return missing(`the SandboxTemplate "${templateName}" of the warm pool does not exist`);
  const spec = Object(Object(template).spec);
  const problem = problemOf(spec);
  if (problem !== undefined) return missing(`the SandboxTemplate "${templateName}" ${problem}`);
  const [container] = Object(spec.podTemplate.spec).containers ?? [];
  const { memory, cpu } = Object(container?.resources?.limits);
  const memoryBytes = readQuantity(memory);
  const processors = readQuantity(cpu);
  return {
    fits(kind) {
      if (memoryBytes === undefined || processors === undefined) return false;
      const needed = podMemoryBytes(kind);
      const hasMemory = memoryBytes >= needed && memoryBytes <= needed + SLACK_BYTES;
      return hasMemory && processors * MILLI <= podProcessorMilli(kind);
    },
  };
}

function missing(problem: string): WarmPool {
  return { fits: () => false, problem };
}

async function read(api: KubernetesApi, path: string): Promise<unknown> {
  try {
    return await api.call('GET', path);
  } catch (error) {
    // Without the custom resource definitions, the path does not exist either.
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns the right that pods of a template have and guests may not have. */
function problemOf({
  networkPolicy,
  networkPolicyManagement,
  podTemplate,
}: Record<string, unknown>): string | undefined {
  const pod = Object(Object(podTemplate).spec);
  if (networkPolicyManagement !== 'Unmanaged') {
    if (networkPolicy === undefined)
      return 'has no networkPolicy, so that pods reach the Internet: set ingress and egress to []';
    const { ingress = [], egress = [] } = Object(networkPolicy);
    if (ingress.length > 0 || egress.length > 0) return 'allows network connections: set ingress and egress to []';
  }
  if (pod.automountServiceAccountToken === true) return 'mounts a token: set automountServiceAccountToken to false';
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].find((field) => pod[field] === true);
  if (shared !== undefined) return `shares its node: remove ${shared}`;
  const privileged = (pod.containers ?? []).some((container: unknown) => {
    const { privileged, allowPrivilegeEscalation } = Object(Object(container).securityContext);
    return privileged === true || allowPrivilegeEscalation !== false;
  });
  return privileged ? 'lets programs gain privileges: set allowPrivilegeEscalation to false' : undefined;
}

/** Returns the number of a quantity of Kubernetes, such as `224Mi`, `500m` or `1`; `undefined` if it is not one. */
export function readQuantity(quantity: unknown): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(String(quantity ?? '')) ?? [];
  const factor = UNIT_FACTORS[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}
