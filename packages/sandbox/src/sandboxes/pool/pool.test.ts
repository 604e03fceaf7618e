import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { nestedUser } from './fairness.ts';
import { createPool, type Pool, type PoolOptions, type Worker } from './pool.ts';

class FakeWorker implements Worker {
  gone = false;
  readonly kind: string;
  readonly number: number;
  readonly #listeners: (() => void)[] = [];
  constructor(kind: string, number: number) {
    this.kind = kind;
    this.number = number;
  }
  isReady = true;
  ready = () => Promise.resolve();
  kill(): void {
    if (this.gone) return;
    this.gone = true;
    // Like a process, it ends shortly after the signal.
    queueMicrotask(() => {
      for (const listener of this.#listeners.splice(0)) listener();
    });
  }
  onGone(listener: () => void): () => void {
    if (this.gone) queueMicrotask(listener);
    else this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }
}

const pools: Pool<FakeWorker>[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const pool of pools.splice(0)) await pool[Symbol.asyncDispose]();
});

function open(options: Partial<PoolOptions<FakeWorker>> = {}) {
  const started: FakeWorker[] = [];
  const start = (kind: string) => {
    const worker = new FakeWorker(kind, started.length + 1);
    started.push(worker);
    return worker;
  };
  const pool = createPool({
    start,
    reusable: () => true,
    maxWorkers: 2,
    maxWaiting: 3,
    idleMs: 10_000,
    keptForNewUsers: 1,
    ...options,
  });
  pools.push(pool);
  return { pool, started };
}

/** Looks without a new worker after which no more will come: a slow start is followed by a pause as long. */
const CALM_LOOKS = 10;

/** Keeps workers ready, and waits until all have been started. */
async function warmed(pool: Pool<FakeWorker>, kind: string, count: number): Promise<void> {
  pool.warm(kind, count);
  let workers = -1;
  for (let calm = 0; calm < CALM_LOOKS; calm++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { idle, busy } = pool.counts();
    if (idle + busy !== workers) calm = 0;
    workers = idle + busy;
  }
}

test('a released worker is used again by its tenant, and by no other', async () => {
  const { pool } = open();
  const first = await pool.acquire('k', 'anna');
  pool.release(first);
  expect((await pool.acquire('k', 'anna')).number).toBe(1);
  pool.release(first);
  const other = await pool.acquire('k', 'ben');
  expect([other.number, pool.counts()]).toEqual([2, { idle: 1, busy: 1, waiting: 0 }]);
});

test('no start follows another one in the same turn of the event loop, and no request within the limits is refused', async () => {
  const { pool, started } = open({ maxWorkers: 4, maxWaiting: 1 });
  const asked = Array.from({ length: 6 }, (_, index) => pool.acquire('k', `tenant ${index}`));
  const refused = failureOf(asked[5] as Promise<FakeWorker>);
  for (let step = 0; step < 100; step++) await Promise.resolve();
  expect(started).toHaveLength(1);
  const workers = await Promise.all(asked.slice(0, 4));
  expect(new Set(workers).size).toBe(4);
  expect((await refused).code).toBe('BUSY');
  for (const worker of workers) pool.release(worker);
  await asked[4];
});

test('no worker ever serves two of many tenants', async () => {
  const { pool } = open({ maxWorkers: 3, maxWaiting: 1_000 });
  const served = new Map<number, Set<string>>();
  let busy = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const tenant = `tenant ${(index * 7) % 11}`;
      const worker = await pool.acquire(index % 5 === 0 ? 'big' : 'small', tenant);
      most = Math.max(most, ++busy);
      served.set(worker.number, (served.get(worker.number) ?? new Set()).add(tenant));
      await sleep(index % 3);
      busy--;
      if (index % 17 === 0) worker.kill();
      pool.release(worker);
    }),
  );
  expect([...served.values()].filter((tenants) => tenants.size > 1)).toEqual([]);
  expect([most, pool.counts().busy, pool.counts().waiting]).toEqual([3, 0, 0]);
});

test('waiting requests are served in order', async () => {
  const { pool } = open({ maxWorkers: 1 });
  const first = await pool.acquire('k', 't');
  const order: number[] = [];
  const all = [1, 2, 3].map(async (number) => {
    const worker = await pool.acquire('k', number === 2 ? 'other' : 't');
    order.push(number);
    pool.release(worker);
  });
  expect(pool.counts()).toEqual({ idle: 0, busy: 1, waiting: 3 });
  pool.release(first);
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3]);
});

test('requests over the waiting limit are refused as busy', async () => {
  const { pool } = open({ maxWorkers: 1, maxWaiting: 1 });
  const worker = await pool.acquire('k', 't');
  const waiting = pool.acquire('k', 't');
  const failure = await failureOf(pool.acquire('k', 't'));
  expect([failure.code, failure.message]).toEqual([
    'BUSY',
    'All 1 sandboxes are busy and 1 executions wait already. Try again later.',
  ]);
  pool.release(worker);
  expect((await waiting).number).toBe(1);
});

test('a free worker is used even if no request may wait', async () => {
  const { pool } = open({ maxWorkers: 1, maxWaiting: 0 });
  const worker = await pool.acquire('k', 't');
  expect((await failureOf(pool.acquire('k', 't'))).code).toBe('BUSY');
  pool.release(worker);
  expect((await pool.acquire('k', 't')).number).toBe(1);
});

test('a cancelled request leaves the queue', async () => {
  const { pool } = open({ maxWorkers: 1 });
  const worker = await pool.acquire('k', 't');
  const abort = new AbortController();
  const cancelled = failureOf(pool.acquire('k', 't', abort.signal));
  const next = pool.acquire('k', 't');
  abort.abort();
  expect([(await cancelled).code, pool.counts().waiting]).toEqual(['CANCELLED', 1]);
  pool.release(worker);
  expect((await next).number).toBe(1);
  expect((await failureOf(pool.acquire('k', 't', AbortSignal.abort()))).code).toBe('CANCELLED');
  expect(pool.counts()).toEqual({ idle: 0, busy: 1, waiting: 0 });
});

test('an ended worker is replaced, idle or busy', async () => {
  const { pool, started } = open({ maxWorkers: 1 });
  const first = await pool.acquire('k', 't');
  const next = pool.acquire('k', 't');
  first.kill();
  pool.release(first);
  expect((await next).number).toBe(2);
  pool.release(await next);
  started[1]?.kill();
  expect((await pool.acquire('k', 't')).number).toBe(3);
});

test('at the limit, the longest idle worker of another tenant is replaced', async () => {
  const { pool, started } = open();
  const both = [await pool.acquire('k', 'a'), await pool.acquire('k', 'b')];
  for (const worker of both) pool.release(worker);
  expect((await pool.acquire('k', 'c')).number).toBe(3);
  expect(started.map(({ gone }) => gone)).toEqual([true, false, false]);
});

test('a worker that cannot be started fails its execution and no later one', async () => {
  let broken = true;
  const { pool } = open({
    maxWorkers: 1,
    start: (kind) => {
      if (broken) throw new Error('EMFILE');
      return new FakeWorker(kind, 7);
    },
  });
  await expect(pool.acquire('k', 't')).rejects.toThrow('EMFILE');
  broken = false;
  expect([(await pool.acquire('k', 't')).number, pool.counts()]).toEqual([7, { idle: 0, busy: 1, waiting: 0 }]);
});

test('a warm worker is started once and serves the first request of any tenant', async () => {
  const { pool, started } = open();
  pool.warm('k', 1);
  pool.warm('k', 1);
  expect([started.length, pool.counts()]).toEqual([1, { idle: 1, busy: 0, waiting: 0 }]);
  expect((await pool.acquire('k', 'anyone')).number).toBe(1);
});

test('starts that take long leave half of the time to other work', async () => {
  const startMs = 20;
  const start = (kind: string) => {
    for (const end = performance.now() + startMs; performance.now() < end; );
    return new FakeWorker(kind, 0);
  };
  const { pool } = open({ start, maxWorkers: 8 });
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 5 }, (_, index) => pool.acquire('k', `tenant ${index}`)));
  expect(performance.now() - startedAt).toBeGreaterThan(9 * startMs - 5);
});

test('the requested number of warm workers is kept free, and one that cannot start is not an error', async () => {
  const { pool, started } = open({ maxWorkers: 4, reusable: () => false });
  await warmed(pool, 'k', 2);
  const taken = await pool.acquire('k', 'anna');
  await warmed(pool, 'k', 2);
  expect([started.length, pool.counts()]).toEqual([3, { idle: 2, busy: 1, waiting: 0 }]);
  await warmed(pool, 'k', 9);
  expect([started.length, taken.number]).toEqual([4, 1]);
  const broken = open({
    start: () => {
      throw new Error('EMFILE');
    },
  });
  broken.pool.warm('k', 1);
  await expect(broken.pool.acquire('k', 't')).rejects.toThrow('EMFILE');
});

test('a single-use worker serves nobody twice, not even its own tenant', async () => {
  const { pool, started } = open({ reusable: () => false });
  const numbers: number[] = [];
  for (let run = 0; run < 5; run++) {
    const worker = await pool.acquire('k', 'anna');
    numbers.push(worker.number);
    pool.release(worker);
  }
  expect([numbers, started.every(({ gone }) => gone), pool.counts().idle]).toEqual([[1, 2, 3, 4, 5], true, 0]);
});

test('a tenant with many requests does not delay another one', async () => {
  const { pool } = open({ maxWorkers: 1, maxWaiting: 100 });
  const first = await pool.acquire('k', 'greedy');
  const order: string[] = [];
  const wishes = ['greedy', 'greedy', 'greedy', 'modest', 'greedy'].map(async (tenant) => {
    const worker = await pool.acquire('k', tenant);
    order.push(tenant);
    pool.release(worker);
  });
  pool.release(first);
  await Promise.all(wishes);
  expect(order).toEqual(['greedy', 'modest', 'greedy', 'greedy', 'greedy']);
});

test('idle workers end, except one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const { pool, started } = open({ maxWorkers: 3 });
  const all = await Promise.all(['a', 'b', 'c'].map((tenant) => pool.acquire('k', tenant)));
  for (const worker of all) pool.release(worker);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(pool.counts().idle).toBe(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([pool.counts().idle, started.filter(({ gone }) => !gone).length]).toEqual([1, 1]);
});

test('close ends all workers, and refuses waiting and later requests', async () => {
  const { pool, started } = open({ maxWorkers: 1 });
  await pool.acquire('k', 't');
  const waiting = failureOf(pool.acquire('k', 't'));
  await pool[Symbol.asyncDispose]();
  const codes = [(await waiting).code, (await failureOf(pool.acquire('k', 't'))).code];
  pool.warm('k', 1);
  expect([codes, started.map(({ gone }) => gone)]).toEqual([['CLOSED', 'CLOSED'], [true]]);
});

test('a user with many tenants takes turns as one, and leaves workers to others', async () => {
  const { pool } = open({ maxWorkers: 8, maxWaiting: 100 });
  const flooding = Array.from({ length: 20 }, (_, index) => pool.acquire('k', `session ${index}`, undefined, 'eve'));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect([pool.heldBy('eve'), pool.counts().waiting]).toEqual([5, 15]);
  const own = await pool.acquire('k', 'a', undefined, 'ada');
  expect(pool.heldBy('ada')).toBe(1);
  pool.release(own);
  for (const worker of flooding) {
    pool.release(await worker);
    expect(pool.heldBy('eve')).toBeLessThanOrEqual(5);
  }
});

test('a worker that has served nobody is kept for users who hold none', async () => {
  const { pool, started } = open({ maxWorkers: 8 });
  pool.warm('k', 1);
  const turn = () => new Promise(setImmediate);
  const first = await pool.acquire('k', 'a', undefined, 'eve');
  pool.warm('k', 1);
  await turn();
  const second = await pool.acquire('k', 'b', undefined, 'eve');
  // The second worker waits for a new user, so that the flooding one starts a third.
  expect([first.number, second.number, started.length]).toEqual([1, 3, 3]);
  await turn();
  expect((await pool.acquire('k', 'c', undefined, 'ada')).number).toBe(2);
});

test('a user with workers does not replace the worker that is kept for new users', async () => {
  const { pool, started } = open({ maxWorkers: 4 });
  pool.warm('other', 1);
  for (const worker of await Promise.all([pool.acquire('k', 'x'), pool.acquire('k', 'y')])) pool.release(worker);
  await pool.acquire('k', 'a', undefined, 'eve');
  await pool.acquire('k', 'b', undefined, 'eve');
  expect(started.map(({ gone }) => gone)).toEqual([false, true, false, false, false]);
});

test('a worker is a spare one unless somebody waits for it or it is the one for new users', async () => {
  const spares: boolean[] = [];
  const start = (kind: string, isSpare: boolean) => new FakeWorker(kind, spares.push(isSpare));
  const { pool } = open({ maxWorkers: 8, start });
  await warmed(pool, 'k', 3);
  await pool.acquire('other', 't');
  expect(spares).toEqual([false, true, true, false]);
});

test('a new user gets a ready worker, and users who hold one get the newest', async () => {
  const { pool, started } = open({ maxWorkers: 8, keptForNewUsers: 2 });
  await warmed(pool, 'k', 4);
  for (const worker of started) worker.isReady = worker.number === 2;
  expect((await pool.acquire('k', 'ada')).number).toBe(2);
  expect((await pool.acquire('k', 'ada again', undefined, 'ada')).number).toBe(4);
  expect((await pool.acquire('k', 'ben')).number).toBe(1);
});

test('a worker is a spare when new users would find enough ready ones', async () => {
  const spares: boolean[] = [];
  const made: FakeWorker[] = [];
  const start = (kind: string, isSpare: boolean) => {
    spares.push(isSpare);
    const worker = new FakeWorker(kind, spares.length);
    worker.isReady = false;
    made.push(worker);
    return worker;
  };
  const { pool } = open({ start, maxWorkers: 8, keptForNewUsers: 2 });
  await warmed(pool, 'k', 4);
  expect(spares).toEqual([false, false, false, false]);
  for (const worker of made.slice(0, 2)) worker.isReady = true;
  await warmed(pool, 'k', 6);
  expect(spares.slice(4)).toEqual([true, true]);
});

test('holders of all workers get one worker more, one after the other, for the program that they wait for', async () => {
  const { pool } = open({ maxWorkers: 1, maxWaiting: 10 });
  const holder = await pool.acquire('k', 'anna');
  const other = pool.acquire('k', 'ben');
  const nested = await pool.acquire('k', 'anna', undefined, nestedUser('anna'));
  const next = pool.acquire('k', 'anna', undefined, nestedUser('anna'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(pool.counts()).toMatchObject({ busy: 2, waiting: 2 });
  pool.release(nested);
  pool.release(await next);
  expect(pool.counts()).toMatchObject({ busy: 1, waiting: 1 });
  pool.release(holder);
  expect(await other).not.toBe(holder);
});
