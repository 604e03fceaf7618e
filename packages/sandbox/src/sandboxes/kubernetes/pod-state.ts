import { CONTAINER } from './pod-config.ts';

/** A pod that can run commands, cannot become ready, or may become ready. */
export type PodState =
  | { readonly kind: 'ready'; readonly container: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'waiting'; readonly reason: string };

/** Reasons that no time repairs. */
const FATAL =
  /^(ImagePullBackOff|ErrImageNeverPull|InvalidImageName|CreateContainerConfigError|CreateContainerError|RunContainerError|CrashLoopBackOff)$/;

type Fields = Readonly<Record<string, unknown>>;

/** Reads the state of a pod; `undefined` is a pod that does not exist. */
export function readPodState(pod: unknown): PodState {
  if (pod === undefined) return { kind: 'failed', reason: 'it was deleted' };
  const { metadata, status, spec } = fields(pod);
  if (fields(metadata).deletionTimestamp !== undefined) return { kind: 'failed', reason: 'it is being deleted' };
  const { phase } = fields(status);
  if (phase === 'Failed' || phase === 'Succeeded') return { kind: 'failed', reason: endReason(pod) };
  const names = list(fields(spec).containers).map(({ name }) => String(name));
  const container = names.includes(CONTAINER) ? CONTAINER : (names[0] ?? CONTAINER);
  const { state } = list(fields(status).containerStatuses).find(({ name }) => name === container) ?? {};
  const { waiting } = fields(state);
  const { reason, message } = fields(waiting);
  if (FATAL.test(String(reason))) return { kind: 'failed', reason: join(reason, message) };
  if (conditionOf(pod, 'Ready')?.status === 'True') return { kind: 'ready', container };
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return { kind: 'waiting', reason: join(scheduled.reason, scheduled.message) };
  return { kind: 'waiting', reason: waiting ? join(reason, message) : `its phase is ${phase ?? 'unknown'}` };
}

/** Returns the reason for the end of a pod; `undefined` while it runs. A pod that reached its memory limit is `OOMKilled`. */
export function readPodEnd(pod: unknown): string | undefined {
  if (pod === undefined) return 'it was deleted';
  const { metadata, status } = fields(pod);
  const { phase } = fields(status);
  if (phase === 'Failed' || phase === 'Succeeded' || terminated(pod)) return endReason(pod);
  return fields(metadata).deletionTimestamp === undefined ? undefined : 'it is being deleted';
}

/** Returns whether the kernel killed the pod's container because of its memory limit. */
export function isOutOfMemory(pod: unknown): boolean {
  return terminated(pod)?.reason === 'OOMKilled';
}

/** Returns a condition of any resource. */
export function conditionOf(resource: unknown, type: string): Fields | undefined {
  return list(fields(fields(resource).status).conditions).find((condition) => condition.type === type);
}

/** Joins the reason and the message of a condition. */
export function join(reason: unknown, message: unknown): string {
  return [reason, message].filter((text) => typeof text === 'string' && text !== '').join(': ') || 'no reason is known';
}

function endReason(pod: unknown): string {
  const { reason, message, phase } = fields(fields(pod).status);
  const end = terminated(pod);
  if (reason !== undefined) return join(reason, message);
  return end ? join(end.reason, end.message ?? `exit code ${end.exitCode}`) : `its phase is ${phase}`;
}

function terminated(pod: unknown): Fields | undefined {
  for (const { state, lastState } of list(fields(fields(pod).status).containerStatuses)) {
    const { terminated: end } = fields(state);
    const { terminated: last } = fields(lastState);
    if (end ?? last) return fields(end ?? last);
  }
  return undefined;
}

function fields(value: unknown): Fields {
  return Object(value);
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}
