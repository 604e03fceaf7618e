import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('work over the limit is refused until earlier work ends', async () => {
  const admission = createAdmission({ maxExecutions: 2 });
  const [first, second] = [deferred(), deferred()];
  const working = [admission.admit('ada', () => first.promise), admission.admit('ada', () => second.promise)];
  await expect(admission.admit('ada', async () => 3)).rejects.toMatchObject({ code: 'BUSY' });
  first.resolve();
  await working[0];
  expect(await admission.admit('ada', async () => 3)).toBe(3);
  second.resolve();
  await Promise.all(working);
  expect(admission.running).toBe(0);
});

test('waiting work starts in turns between users', async () => {
  const admission = createAdmission({ maxStarted: 1 });
  const first = deferred();
  const order: string[] = [];
  const working = [
    admission.admit('ada', () => first.promise),
    ...['ada 1', 'ada 2', 'bob 1'].map((name) => admission.admit(name.slice(0, 3), async () => void order.push(name))),
  ];
  await Promise.resolve();
  expect(order).toEqual([]);
  first.resolve();
  await Promise.all(working);
  expect(order).toEqual(['ada 1', 'bob 1', 'ada 2']);
  expect(await admission.admit('ada', async () => 1)).toBe(1);
});

test('failed work frees its place', async () => {
  const admission = createAdmission({ maxExecutions: 1 });
  await expect(admission.admit('ada', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await admission.admit('ada', async () => 1)).toBe(1);
});

test('draining refuses new work and waits for the rest', async () => {
  const admission = createAdmission();
  const [admitted, tracked] = [deferred(), deferred()];
  const working = admission.admit('ada', () => admitted.promise);
  admission.track(tracked.promise);
  admission.drain();
  await expect(admission.admit('ada', async () => 1)).rejects.toMatchObject({ code: 'CLOSED' });
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

test('a user leaves half of the free places to others, and has a cap of its own', async () => {
  const admission = createAdmission({ maxExecutions: 8, maxPerUser: 3, maxStarted: 4 });
  const end = deferred();
  const order: string[] = [];
  const admit = (user: string) =>
    admission.admit(user, () => {
      order.push(user);
      return end.promise;
    });
  const working = [admit('ada'), admit('ada'), admit('ada')];
  await expect(admit('ada')).rejects.toMatchObject({
    code: 'QUOTA_EXCEEDED',
    message: 'This user has 3 running and waiting executions, which is the limit. Wait until some have ended.',
    details: { quota: 'queuedExecutions', limit: 3 },
  });
  working.push(admit('eve'), admit('eve'), admit('bob'));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['ada', 'eve', 'ada', 'ada']);
  end.resolve();
  await Promise.all(working);
  expect(order.slice(4).sort()).toEqual(['bob', 'eve']);
});

test('cancelled work that waits leaves the queue without a start', async () => {
  const admission = createAdmission({ maxStarted: 1 });
  const [first, leaving] = [deferred(), new AbortController()];
  const working = admission.admit('ada', () => first.promise);
  let isStarted = false;
  const cancelled = admission.admit(
    'bob',
    () => {
      isStarted = true;
      return Promise.resolve();
    },
    leaving.signal,
  );
  leaving.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
  first.resolve();
  await working;
  expect([isStarted, await admission.admit('ada', async () => 1), admission.running]).toEqual([false, 1, 0]);
});

test('a user with many cancelled executions does not delay the start of another one', async () => {
  const { admit } = createAdmission({ maxStarted: 8 });
  const order: string[] = [];
  const never = () => new Promise<void>(() => undefined);
  for (let started = 0; started < 5; started++) void admit('eve', never);
  const abort = new AbortController();
  const cancelled = Array.from({ length: 20 }, () =>
    admit('eve', never, abort.signal).catch(() => void order.push('cancelled')),
  );
  abort.abort();
  await Promise.all([admit('ada', async () => void order.push('ada')), ...cancelled]);
  expect(order.indexOf('ada')).toBeLessThan(3);
});
