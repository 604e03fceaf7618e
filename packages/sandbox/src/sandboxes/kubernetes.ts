import { randomUUID } from 'node:crypto';
import { defaultImage } from './docker/image.ts';
import type { ProcessEnd } from './guest-process.ts';
import { createApi } from './kubernetes/api/api.ts';
import { findAccess } from './kubernetes/api/find-access.ts';
import { type Cluster, HOST_LABEL, MANAGED } from './kubernetes/cluster.ts';
import { OUT_OF_MEMORY_CODES, startGuestPod } from './kubernetes/guest-pod.ts';
import { type HostLease, openHostLease } from './kubernetes/host-lease.ts';
import { removeAllOf, watchForOrphans } from './kubernetes/orphans.ts';
import type { PodPackages } from './kubernetes/pod-config.ts';
import { probeCluster } from './kubernetes/probe.ts';
import { readWarmPool, type WarmPool } from './kubernetes/warm-pool.ts';
import { createPooledSandbox, type GuestKind, type PoolSettings } from './pool/pooled.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** The cluster, and the pods in it. All settings are optional. */
export interface KubernetesSettings {
  /** The namespace of the pods, default `toolwright-guests`. Nothing else belongs there. */
  readonly namespace?: string;
  /** The `SandboxWarmPool` of agent-sandbox to claim pods from. Default: a new pod for each program. */
  readonly warmPool?: string;
  /** The image with the guest files, default `toolwright-guest:<version of this package>`. The nodes must be able to pull it. */
  readonly image?: string;
  /** The RuntimeClass of new pods, such as `gvisor` or `kata`. Default: the default of the cluster. */
  readonly runtimeClass?: string;
  /** A PersistentVolumeClaim with the folder of the layers of packages. New pods read it. Default: no Python packages. */
  readonly packagesClaim?: string;
  /** Maximum number of pods of this process, default 8. */
  readonly maxPods?: number;
}

/** Settings of the sandbox. */
export interface KubernetesSandboxOptions extends PoolSettings, KubernetesSettings {
  /** Folder of a layer with Python packages, which the claim has under the names of its last two folders. Default: none. */
  readonly packages?: string | undefined;
  /** Path of a kubeconfig. Default: `KUBECONFIG`, else the service account of this pod, else `~/.kube/config`. */
  readonly kubeconfig?: string;
  /** Milliseconds in which a pod must be ready, default 120,000. */
  readonly startMs?: number;
}

const NAMESPACE = 'toolwright-guests';
const MAX_PODS = 8;
const START_MS = 120_000;
const WATCHDOG_GRACE_MS = 250;
/** A pool that was missing may exist after this time, and its template may have changed. */
const POOL_LIFETIME_MS = 60_000;

/**
 * Creates a sandbox that runs each program in its own pod of a Kubernetes cluster. The guest speaks with this process through
 * `exec` of the API server. Only an account with that right can open the stream, and the pod needs no network.
 */
export function kubernetesSandbox(options: KubernetesSandboxOptions = {}): Sandbox {
  const { namespace = NAMESPACE, image = defaultImage(), warmPool, runtimeClass, maxPods = MAX_PODS } = options;
  const packages = packagesOf(options);
  const host = randomUUID();
  const labels = { ...MANAGED, [HOST_LABEL]: host };
  const inUse = new Set<string>();
  let connecting: Promise<Connection> | undefined;
  let pool: { readonly readAt: number; readonly found: Promise<WarmPool> } | undefined;

  const open = async (): Promise<Connection> => {
    const api = createApi(await findAccess(options.kubeconfig));
    try {
      // The first answer has the time of the cluster, which the lease needs.
      await api.call('GET', '/version');
      const lease = await openHostLease(api, namespace, host);
      const { owner } = lease;
      const cluster: Cluster = { api, namespace, warmPool, image, runtimeClass, packages, labels, owner, inUse };
      return { cluster, lease, stopWatch: watchForOrphans(cluster) };
    } catch (error) {
      api.close();
      throw error;
    }
  };
  const connect = async (): Promise<Cluster> => {
    connecting ??= open();
    // The next program tries again: the cluster, the rights or the credentials may be there then.
    connecting.catch(() => {
      connecting = undefined;
    });
    return (await connecting).cluster;
  };
  const poolFor = async ({ api }: Cluster, kind: GuestKind): Promise<string | undefined> => {
    if (warmPool === undefined) return undefined;
    if (!pool || Date.now() - pool.readAt > POOL_LIFETIME_MS) {
      const found = readWarmPool(api, namespace, warmPool).catch(() => ({ fits: () => false }));
      pool = { readAt: Date.now(), found };
    }
    return (await pool.found).fits(kind) ? warmPool : undefined;
  };

  return createPooledSandbox({
    name: 'kubernetes',
    isolation:
      'its own pod per program: no network, no token, no capabilities, read-only, not root, seccomp, limited memory and processor',
    languages: ['javascript', 'python'],
    pool: options,
    maxProcesses: maxPods,
    warm: 1,
    reusable: () => false,
    limitsProcessor: true,
    start: (kind) => startGuestPod({ connect, poolFor, startMs: options.startMs ?? START_MS }, kind),
    graceMs: () => WATCHDOG_GRACE_MS,
    isOutOfMemory: ({ code, outOfMemory }: ProcessEnd) => outOfMemory === true || OUT_OF_MEMORY_CODES.includes(code),
    async onDispose() {
      const connection = await connecting?.catch(() => undefined);
      if (!connection) return;
      connection.stopWatch();
      await removeAllOf(connection.cluster);
      await connection.lease.close();
      connection.cluster.api.close();
    },
  });
}

interface Connection {
  readonly cluster: Cluster;
  readonly lease: HostLease;
  readonly stopWatch: () => void;
}

/** Returns the place of the layer in the claim: `<hash>/content`. */
function packagesOf({ packages, packagesClaim: claim }: KubernetesSandboxOptions): PodPackages | undefined {
  if (packages === undefined || claim === undefined) return undefined;
  return { claim, subPath: packages.split('/').slice(-2).join('/') };
}

/** Returns whether the cluster can run programs, and the missing part if it cannot. */
export function probeKubernetes(options: KubernetesSandboxOptions = {}): Promise<SandboxProbe> {
  const { namespace = NAMESPACE, image = defaultImage(), warmPool, kubeconfig } = options;
  return probeCluster({ namespace, warmPool, image, kubeconfig });
}
