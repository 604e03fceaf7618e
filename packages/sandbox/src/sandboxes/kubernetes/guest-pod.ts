import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxError } from '../../errors.ts';
import type { GuestCarrier, ProcessEnd } from '../guest-process.ts';
import type { GuestKind } from '../pool/pooled.ts';
import { isMissing } from './api/api-error.ts';
import { createExecStream, type ExecEnd } from './api/exec-stream.ts';
import { type Cluster, pathOf } from './cluster.ts';
import { diagnose, unavailable } from './diagnosis.ts';
import { guestCommand } from './pod-config.ts';
import { isOutOfMemory, readPodEnd } from './pod-state.ts';
import { claimPod, createPod, type Reservation, type ReservedPod } from './reserve.ts';

/** How to connect to the cluster, and how to choose between a claim and a new pod. */
export interface PodSource {
  connect(): Promise<Cluster>;
  /** Returns the warm pool whose pods enforce the limits of a guest; `undefined` for a pod of its own. */
  poolFor(cluster: Cluster, kind: GuestKind): Promise<string | undefined>;
  /** Milliseconds in which a pod must be ready. */
  readonly startMs: number;
}

/** The guest in a ready pod starts within this time. */
const GUEST_START_MS = 60_000;
/** The kubelet reports the end of a container with a delay. */
const END_READINGS = 8;
const END_PAUSE_MS = 250;
/** The end of a guest is known before its pod is removed, but not much. */
const REMOVAL_MS = 2_000;
const IMAGE_FIX = 'publish the image of this version, and set kubernetes.image: docs/sandboxes.md shows how';
/** 134: V8 aborts when its heap is full. 101: `start.sh` reports that the kernel killed a process inside. */
export const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [134, 101];
const KILLED: ProcessEnd = { code: null, signal: 'SIGKILL' };
/** The shell reports a process that was killed from outside by this code. */
const KILLED_CODE = 137;

/** Starts a guest in a pod: one of the warm pool, or a new one. The pod is removed when the guest ends or does not start. */
export function startGuestPod(source: PodSource, kind: GuestKind): GuestCarrier {
  const exec = createExecStream();
  const cancel = new AbortController();
  let remove: (() => Promise<void>) | undefined;
  let isKilled = false;
  let isRunning = false;
  let address: string | undefined;
  exec.stream.on('error', () => undefined);

  const live = async (): Promise<ProcessEnd> => {
    const cluster = await source.connect();
    address = cluster.api.address;
    const pod = await reserve(source, cluster, kind, cancel.signal, (made) => {
      remove = made;
    });
    const path = `${pathOf(cluster.namespace, 'pods', pod.name)}/exec`;
    const query = {
      container: pod.container,
      command: guestCommand(kind),
      stdin: 'true',
      stdout: 'true',
      stderr: 'false',
    };
    const socket = await cluster.api.exec(path, query);
    const overdue = setTimeout(() => exec.stream.destroy(), GUEST_START_MS).unref();
    exec.connect(socket, () => {
      isRunning = true;
      clearTimeout(overdue);
    });
    const how = await exec.ended;
    clearTimeout(overdue);
    // The channel closes the stream of a guest that breaks the protocol.
    if (isKilled || (how.isLocal && isRunning)) return KILLED;
    if (how.isLocal) {
      const reason = `the guest in the pod ${pod.name} was not ready within ${GUEST_START_MS / 1_000} s`;
      throw unavailable(reason, 'give the pods more processor time, or correct the image');
    }
    const end = await endOf(cluster, pod, how);
    if (isRunning || end.outOfMemory || OUT_OF_MEMORY_CODES.includes(end.code)) return end;
    const reason = how.message ?? end.error?.message ?? `it ended with exit code ${end.code}`;
    throw unavailable(`the guest in the pod ${pod.name} did not start: ${reason}`, IMAGE_FIX);
  };
  const ended = live()
    .catch((thrown: unknown): ProcessEnd => {
      exec.stream.destroy();
      return isKilled ? KILLED : { ...KILLED, error: errorOf(thrown, { isRunning, address }) };
    })
    .then(async (end) => {
      await Promise.race([removeAgain(remove), sleep(REMOVAL_MS, undefined, { ref: false })]);
      return end;
    });

  return {
    stream: exec.stream,
    startMs: source.startMs + 2 * GUEST_START_MS,
    kill() {
      if (isKilled) return;
      isKilled = true;
      cancel.abort();
      exec.stream.destroy();
    },
    ended,
  };
}

/** Reserves a pod within the time of the source. */
async function reserve(
  source: PodSource,
  cluster: Cluster,
  kind: GuestKind,
  cancelled: AbortSignal,
  onCreated: Reservation['onCreated'],
): Promise<ReservedPod> {
  cancelled.throwIfAborted();
  let progress = 'nothing is known of it';
  const late = AbortSignal.timeout(source.startMs);
  const reservation: Reservation = {
    signal: AbortSignal.any([cancelled, late]),
    onCreated,
    onProgress: (reason) => {
      progress = reason;
    },
  };
  try {
    const warmPool = await source.poolFor(cluster, kind);
    return await (warmPool === undefined
      ? createPod(cluster, kind, reservation)
      : claimPod(cluster, warmPool, reservation));
  } catch (error) {
    if (!late.aborted || cancelled.aborted) throw error;
    const reason = `no pod was ready within ${source.startMs / 1_000} s: ${progress}`;
    throw unavailable(reason, 'see "kubectl describe pod", and add nodes or lower kubernetes.maxPods', error);
  }
}

/** Removes a pod, and tries again later if the API server does not answer. A pod that remains is removed as an orphan. */
async function removeAgain(remove: (() => Promise<void>) | undefined): Promise<void> {
  await remove?.()
    .catch(() => sleep(REMOVAL_MS, undefined, { ref: false }).then(remove))
    .catch(() => undefined);
}

/** Returns the end of a guest, with the reason of Kubernetes if it was not the guest's own. */
async function endOf({ api, namespace }: Cluster, { name }: ReservedPod, end: ExecEnd): Promise<ProcessEnd> {
  if (end.code !== undefined && end.code !== KILLED_CODE) return { code: end.code, signal: null };
  let lost = end.message ?? 'the connection to it was closed';
  try {
    for (let reading = 0; reading < END_READINGS; reading++) {
      const pod = await api.call('GET', pathOf(namespace, 'pods', name)).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (isOutOfMemory(pod)) return { code: end.code ?? null, signal: null, outOfMemory: true };
      const reason = readPodEnd(pod);
      if (reason !== undefined) {
        lost = reason;
        break;
      }
      await sleep(END_PAUSE_MS, undefined, { ref: false });
    }
  } catch (error) {
    lost = `${lost}; ${diagnose(error, api.address).reason}`;
  }
  return { ...KILLED, error: lostError(`The pod ${name} was lost while a program ran: ${lost}`) };
}

function errorOf(
  thrown: unknown,
  { isRunning, address }: { readonly isRunning: boolean; readonly address: string | undefined },
): SandboxError {
  const { reason, fix } = diagnose(thrown, address);
  if (isRunning) return lostError(`The cluster failed while a program ran: ${reason}`, thrown);
  const message = `The sandbox "kubernetes" is not available: ${reason} (${fix}).`;
  return new SandboxError('SANDBOX_UNAVAILABLE', message, { cause: thrown });
}

function lostError(message: string, cause?: unknown): SandboxError {
  const text = `${message}. The journal shows whether its last calls were made.`;
  return new SandboxError('SANDBOX_LOST', text, { cause });
}
