import type { KubernetesApi } from './api/api.ts';
import { isMissing } from './api/api-error.ts';
import { HOST_LABEL, MANAGED, type OwnerReference, pathOf } from './cluster.ts';

/** The sign of life of one sandbox object: a `Lease` of the cluster, which owns its pods and claims. */
export interface HostLease {
  /** Returns the reference to the lease. */
  owner(): OwnerReference;
  /** Deletes the lease. The cluster then deletes everything that it owns. Never rejects. */
  close(): Promise<void>;
}

const VERSION = 'coordination.k8s.io/v1';
/** Seconds without a renewal after which others remove the pods of this sandbox object. */
const LEASE_S = 60;
const RENEWAL_MS = 15_000;

/** Creates the lease of the sandbox object `host` and renews it. Rejects with an `ApiError`. */
export async function openHostLease(api: KubernetesApi, namespace: string, host: string): Promise<HostLease> {
  const name = leaseName(host);
  let owner = await create(api, namespace, host);
  const renew = async () => {
    const body = { spec: { renewTime: microTime(api.now()) } };
    await api.call('PATCH', pathOf(namespace, 'leases', name), { body }).catch(async (error: unknown) => {
      // Somebody deleted it. Pods that it owned are gone.
      if (isMissing(error)) owner = await create(api, namespace, host);
    });
  };
  // A renewal that fails is tried again at the next one.
  const timer = setInterval(() => void renew().catch(() => undefined), RENEWAL_MS).unref();
  return {
    owner: () => owner,
    async close() {
      clearInterval(timer);
      const query = { propagationPolicy: 'Background' };
      await api.call('DELETE', pathOf(namespace, 'leases', name), { query }).catch(() => undefined);
    },
  };
}

/** Returns the host of a lease that was not renewed in time, or `undefined`. */
export function expiredHost(
  { metadata, spec }: { metadata?: unknown; spec?: unknown },
  now: number,
): string | undefined {
  const host = Object(Object(metadata).labels)[HOST_LABEL];
  const { renewTime, leaseDurationSeconds } = Object(spec);
  const until = Date.parse(String(renewTime)) + Number(leaseDurationSeconds) * 1_000;
  return typeof host === 'string' && !(until > now) ? host : undefined;
}

/** Returns the name of the lease of a sandbox object. */
export function leaseName(host: string): string {
  return `toolwright-${host}`;
}

async function create(api: KubernetesApi, namespace: string, host: string): Promise<OwnerReference> {
  const name = leaseName(host);
  const created = await api.call('POST', pathOf(namespace, 'leases'), {
    body: {
      apiVersion: VERSION,
      kind: 'Lease',
      metadata: { name, labels: { ...MANAGED, [HOST_LABEL]: host } },
      spec: { holderIdentity: host, leaseDurationSeconds: LEASE_S, renewTime: microTime(api.now()) },
    },
  });
  return { apiVersion: VERSION, kind: 'Lease', name, uid: String(Object(Object(created).metadata).uid) };
}

/** Returns a time in the format of a lease, which has six digits after the second. */
function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
