import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('work over the limit is refused, and taken once there is room', async () => {
  const admission = createAdmission({ maxExecutions: 2 });
  const [first, second] = [deferred(), deferred()];
  const working = [admission.admit(() => first.promise), admission.admit(() => second.promise)];
  await expect(admission.admit(async () => 3)).rejects.toMatchObject({ code: 'BUSY' });
  first.resolve();
  await working[0];
  expect(await admission.admit(async () => 3)).toBe(3);
  second.resolve();
  await Promise.all(working);
  expect(admission.running).toBe(0);
});

test('work that fails gives its place back', async () => {
  const admission = createAdmission({ maxExecutions: 1 });
  await expect(admission.admit(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await admission.admit(async () => 1)).toBe(1);
});

test('draining refuses new work and waits for the rest', async () => {
  const admission = createAdmission();
  const [admitted, tracked] = [deferred(), deferred()];
  const working = admission.admit(() => admitted.promise);
  admission.track(tracked.promise);
  admission.drain();
  await expect(admission.admit(async () => 1)).rejects.toMatchObject({ code: 'CLOSED' });
  let isIdle = false;
  const idle = admission.idle().then(() => {
    isIdle = true;
  });
  admitted.resolve();
  await working;
  expect([isIdle, admission.running]).toEqual([false, 1]);
  tracked.resolve();
  await idle;
  expect(isIdle).toBe(true);
});
