import { expect, it } from 'vitest';
import { isOutOfMemory, type PodState, readPodEnd, readPodState } from './pod-state.ts';

const waiting = (reason: string, message?: string) => ({
  spec: { containers: [{ name: 'guest' }] },
  status: { phase: 'Pending', containerStatuses: [{ name: 'guest', state: { waiting: { reason, message } } }] },
});
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const terminated = (state: object) => ({ status: { phase: 'Running', containerStatuses: [{ name: 'guest', state }] } });

it.each<[string, unknown, PodState]>([
  ['that does not exist', undefined, { kind: 'failed', reason: 'it was deleted' }],
  ['that is new', { status: { phase: 'Pending' } }, { kind: 'waiting', reason: 'its phase is Pending' }],
  ['without a status', {}, { kind: 'waiting', reason: 'its phase is unknown' }],
  ['that pulls', waiting('ContainerCreating'), { kind: 'waiting', reason: 'ContainerCreating' }],
  ['that retries', waiting('ErrImagePull', 'timeout'), { kind: 'waiting', reason: 'ErrImagePull: timeout' }],
  [
    'without an image',
    waiting('ImagePullBackOff', 'not found'),
    { kind: 'failed', reason: 'ImagePullBackOff: not found' },
  ],
  ['that is ready', { spec: { containers: [{ name: 'main' }] }, status: ready }, { kind: 'ready', container: 'main' }],
  [
    'with a sidecar',
    { spec: { containers: [{ name: 'proxy' }, { name: 'guest' }] }, status: ready },
    { kind: 'ready', container: 'guest' },
  ],
  [
    'that ends',
    { metadata: { deletionTimestamp: 'x' }, status: ready },
    { kind: 'failed', reason: 'it is being deleted' },
  ],
  ['that failed', { status: { phase: 'Failed', reason: 'Evicted' } }, { kind: 'failed', reason: 'Evicted' }],
])('the state of a pod %s', (_text, pod, state) => {
  expect(readPodState(pod)).toEqual(state);
});

it.each<[string, unknown, string | undefined, boolean]>([
  ['that runs', { status: ready }, undefined, false],
  ['that does not exist', undefined, 'it was deleted', false],
  [
    'that was killed',
    terminated({ terminated: { reason: 'OOMKilled', exitCode: 137 } }),
    'OOMKilled: exit code 137',
    true,
  ],
  [
    'that was restarted',
    { status: { containerStatuses: [{ lastState: { terminated: { reason: 'OOMKilled' } } }] } },
    'OOMKilled: exit code undefined',
    true,
  ],
  [
    'that was preempted',
    { status: { phase: 'Failed', reason: 'Preempting', message: 'by another' } },
    'Preempting: by another',
    false,
  ],
])('the end of a pod %s', (_text, pod, reason, outOfMemory) => {
  expect([readPodEnd(pod), isOutOfMemory(pod)]).toEqual([reason, outOfMemory]);
});
