import type { KubernetesApi } from './api/api.ts';
import type { PodSettings } from './pod-config.ts';

/** The label of each pod, claim and lease: the id of its sandbox object. */
export const HOST_LABEL = 'toolwright.host';
/** The label that all pods, claims and leases of all workers have. */
export const MANAGED = { 'app.kubernetes.io/managed-by': 'toolwright' } as const;

/** The connected cluster of one sandbox object. */
export interface Cluster extends PodSettings {
  readonly api: KubernetesApi;
  readonly namespace: string;
  readonly warmPool: string | undefined;
  /** The labels of everything that the sandbox object creates. */
  readonly labels: Readonly<Record<string, string>>;
  /** Returns the owner of everything that the sandbox object creates: the cluster removes it after its owner. */
  owner(): OwnerReference;
  /** The names of the pods and claims in use. */
  readonly inUse: Set<string>;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Returns the path of a collection, or of one of its resources. */
export function pathOf(namespace: string, collection: Collection, name?: string): string {
  const [group, plural] = COLLECTIONS[collection];
  const path = `${group}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  return name === undefined ? path : `${path}/${encodeURIComponent(name)}`;
}

const EXTENSIONS = 'extensions.agents.x-k8s.io/v1beta1';
/** The `apiVersion` of claims. */
export const CLAIM_VERSION = EXTENSIONS;

const COLLECTIONS = {
  pods: ['/api/v1', 'pods'],
  leases: ['/apis/coordination.k8s.io/v1', 'leases'],
  networkPolicies: ['/apis/networking.k8s.io/v1', 'networkpolicies'],
  claims: [`/apis/${EXTENSIONS}`, 'sandboxclaims'],
  warmPools: [`/apis/${EXTENSIONS}`, 'sandboxwarmpools'],
  templates: [`/apis/${EXTENSIONS}`, 'sandboxtemplates'],
  sandboxes: ['/apis/agents.x-k8s.io/v1beta1', 'sandboxes'],
} as const;

export type Collection = keyof typeof COLLECTIONS;

/** Returns the resources of a collection with the given labels, at most 500. */
export async function listOf(
  api: KubernetesApi,
  namespace: string,
  collection: Collection,
  labels: Readonly<Record<string, string>> = {},
): Promise<Listed[]> {
  const selector = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const query: Record<string, string> = { limit: '500' };
  if (selector.length > 0) query.labelSelector = selector.join(',');
  const { items } = Object(await api.call('GET', pathOf(namespace, collection), { query }));
  return Array.isArray(items) ? items.map((item) => Object(item)) : [];
}

/** A resource of a list. */
export interface Listed {
  readonly metadata?: {
    readonly name?: unknown;
    readonly creationTimestamp?: unknown;
    readonly labels?: Readonly<Record<string, unknown>>;
  };
  readonly spec?: unknown;
}
