import type { KubernetesApi } from './api/api.ts';
import { isMissing } from './api/api-error.ts';
import { type Cluster, type Collection, HOST_LABEL, type Listed, listOf, MANAGED, pathOf } from './cluster.ts';
import { expiredHost, leaseName } from './host-lease.ts';

/** A pod that was being created when its lease was read is younger than this. */
const MIN_AGE_MS = 30_000;
const INTERVAL_MS = 30_000;

/**
 * Removes the pods and claims of dead workers: those whose lease has expired or does not exist, and own ones that are not in use.
 * Resolves to the number of removed pods and claims. Rejects with an `ApiError`.
 */
export async function removeOrphans(
  { api, namespace, inUse, labels }: Cluster,
  minAgeMs = MIN_AGE_MS,
): Promise<number> {
  const leases = await listOf(api, namespace, 'leases', MANAGED);
  const now = api.now();
  const own = labels[HOST_LABEL];
  const expired = leases.flatMap((lease) => expiredHost(lease, now) ?? []).filter((host) => host !== own);
  const alive = new Set(leases.map((lease) => hostOf(lease)).filter((host) => !expired.includes(host)));
  const isOrphan = (resource: Listed) => {
    const host = hostOf(resource);
    if (host === own) return !inUse.has(nameOf(resource)) && ageOf(resource, now) > minAgeMs;
    return expired.includes(host) || (!alive.has(host) && ageOf(resource, now) > minAgeMs);
  };
  let removed = 0;
  for (const collection of ['claims', 'pods'] as const) {
    const orphans = (await listed(api, namespace, collection)).filter(isOrphan);
    await Promise.all(orphans.map((orphan) => remove(api, namespace, collection, nameOf(orphan))));
    removed += orphans.length;
  }
  await Promise.all(expired.map((host) => remove(api, namespace, 'leases', leaseName(host))));
  return removed;
}

/** Removes orphans now and regularly. Returns the function that ends this. */
export function watchForOrphans(cluster: Cluster): () => void {
  // The next attempt may succeed. Programs neither wait for this nor fail because of it.
  const look = () => void removeOrphans(cluster).catch(() => undefined);
  look();
  const timer = setInterval(look, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** Removes all pods and claims of one sandbox object. Never rejects. */
export async function removeAllOf({ api, namespace, labels }: Cluster): Promise<void> {
  for (const collection of ['claims', 'pods'] as const) {
    const own = await listOf(api, namespace, collection, labels).catch(() => []);
    const removals = own.map((resource) => remove(api, namespace, collection, nameOf(resource)));
    await Promise.allSettled(removals);
  }
}

async function listed(api: KubernetesApi, namespace: string, collection: Collection): Promise<Listed[]> {
  try {
    return await listOf(api, namespace, collection, MANAGED);
  } catch (error) {
    // Without agent-sandbox, or without rights for it, there are no claims.
    const { status } = Object(error);
    if (collection === 'claims' && (status === 403 || status === 404)) return [];
    throw error;
  }
}

async function remove(api: KubernetesApi, namespace: string, collection: Collection, name: string): Promise<void> {
  const query = { gracePeriodSeconds: '0', propagationPolicy: 'Background' };
  await api.call('DELETE', pathOf(namespace, collection, name), { query }).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

function hostOf({ metadata }: Listed): string {
  return String(metadata?.labels?.[HOST_LABEL]);
}

function nameOf({ metadata }: Listed): string {
  return String(metadata?.name);
}

function ageOf({ metadata }: Listed, now: number): number {
  const created = Date.parse(String(metadata?.creationTimestamp));
  return Number.isNaN(created) ? 0 : now - created;
}
