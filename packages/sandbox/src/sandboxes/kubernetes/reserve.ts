import { randomUUID } from 'node:crypto';
import type { GuestKind } from '../pool/pooled.ts';
import { isMissing } from './api/api-error.ts';
import { followUntil } from './api/follow.ts';
import { CLAIM_VERSION, type Cluster, pathOf } from './cluster.ts';
import { unavailable } from './diagnosis.ts';
import { LIFETIME_S, POD_LABELS, podSpec } from './pod-config.ts';
import { conditionOf, join, readPodState } from './pod-state.ts';

/** A pod of one guest, ready for its command. */
export interface ReservedPod {
  readonly name: string;
  readonly container: string;
}

export interface Reservation {
  /** Aborts the wait for the pod. */
  readonly signal: AbortSignal;
  /** Receives the function that removes the pod, as soon as there is one to remove. It rejects with an `ApiError`. */
  readonly onCreated: (remove: () => Promise<void>) => void;
  /** Receives the reason why the pod is not ready yet. */
  readonly onProgress: (reason: string) => void;
}

/** Creates a pod and waits until it is ready. Rejects with an `ApiError` or `SANDBOX_UNAVAILABLE`. */
export async function createPod(cluster: Cluster, kind: GuestKind, reservation: Reservation): Promise<ReservedPod> {
  const { api, namespace } = cluster;
  const name = newName();
  cluster.inUse.add(name);
  await api.call('POST', pathOf(namespace, 'pods'), {
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata(cluster, name), labels: { ...POD_LABELS, ...cluster.labels } },
      spec: { ...podSpec(kind, cluster), activeDeadlineSeconds: LIFETIME_S },
    },
  });
  reservation.onCreated(() => remove(cluster, 'pods', name));
  return untilReady(cluster, name, reservation);
}

/**
 * Claims a pod of the warm pool. The claim passes no variables and no volumes: with them, the pod would be a new one. Rejects with
 * an `ApiError` or `SANDBOX_UNAVAILABLE`.
 */
export async function claimPod(cluster: Cluster, warmPool: string, reservation: Reservation): Promise<ReservedPod> {
  const { api, namespace } = cluster;
  const name = newName();
  cluster.inUse.add(name);
  const shutdownTime = new Date(api.now() + LIFETIME_S * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await api.call('POST', pathOf(namespace, 'claims'), {
    body: {
      apiVersion: CLAIM_VERSION,
      kind: 'SandboxClaim',
      metadata: { ...metadata(cluster, name), labels: cluster.labels },
      spec: { warmPoolRef: { name: warmPool }, lifecycle: { shutdownPolicy: 'Delete', shutdownTime } },
    },
  });
  reservation.onCreated(() => remove(cluster, 'claims', name));
  const check = (claim: unknown) => sandboxOf(claim, reservation.onProgress);
  const sandbox = await followUntil(api, pathOf(namespace, 'claims'), name, check, reservation.signal);
  const { metadata: known } = Object(await api.call('GET', pathOf(namespace, 'sandboxes', sandbox)));
  const pod = Object(Object(known).annotations)['agents.x-k8s.io/pod-name'];
  return untilReady(cluster, typeof pod === 'string' ? pod : sandbox, reservation);
}

function newName(): string {
  return `toolwright-${randomUUID()}`;
}

function metadata(cluster: Cluster, name: string): object {
  return { name, ownerReferences: [cluster.owner()] };
}

/** Returns the name of the sandbox that a claim got; `undefined` while it waits for one. */
function sandboxOf(claim: unknown, onProgress: Reservation['onProgress']): string | undefined {
  if (claim === undefined) throw unavailable('the claim was deleted', 'see the log of the agent-sandbox controller');
  const finished = conditionOf(claim, 'Finished');
  if (finished?.status === 'True') {
    throw unavailable(`the claim has ended: ${join(finished.reason, finished.message)}`, 'see the log of the pod');
  }
  const ready = conditionOf(claim, 'Ready');
  const { sandbox } = Object(Object(claim).status);
  const { name } = Object(sandbox);
  if (ready?.status === 'True' && typeof name === 'string') return name;
  onProgress(`the claim is not ready: ${ready ? join(ready.reason, ready.message) : 'no controller has read it'}`);
  return undefined;
}

async function untilReady(cluster: Cluster, name: string, { signal, onProgress }: Reservation): Promise<ReservedPod> {
  const check = (pod: unknown): ReservedPod | undefined => {
    const state = readPodState(pod);
    if (state.kind === 'ready') return { name, container: state.container };
    if (state.kind === 'failed') {
      const fix = 'see "kubectl get events"; docs/sandboxes.md shows how to publish the image';
      throw unavailable(`the pod ${name} did not start: ${state.reason}`, fix);
    }
    onProgress(state.reason);
    return undefined;
  };
  return followUntil(cluster.api, pathOf(cluster.namespace, 'pods'), name, check, signal);
}

async function remove({ api, namespace, inUse }: Cluster, collection: 'pods' | 'claims', name: string): Promise<void> {
  const query = { gracePeriodSeconds: '0', propagationPolicy: 'Background' };
  try {
    await api.call('DELETE', pathOf(namespace, collection, name), { query });
  } catch (error) {
    if (!isMissing(error)) throw error;
  } finally {
    // From now on, it is an orphan, which the next removal of orphans finds.
    inUse.delete(name);
  }
}
