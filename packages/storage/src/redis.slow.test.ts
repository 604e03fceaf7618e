import { setTimeout as sleep } from 'node:timers/promises';
import { runStoreCase, storeCases } from '@toolwright/conformance/store';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { needsRedis, startRedis, type TestRedis } from '../../../test/fixtures/redis.ts';
import { countInProcesses, needsBuild } from '../../../test/fixtures/store-processes.ts';
import { redisStore } from './redis.ts';

/** For tests of results: the machine may be busy with other tests. */
const PATIENT_MS = 10_000;

needsRedis.describe('redis', () => {
  let redis: TestRedis;
  let url: string;
  beforeAll(async () => {
    redis = await startRedis();
    url = redis.url;
  });
  afterAll(() => redis.stop());

  it.for(storeCases)('$name', (testCase) => runStoreCase(() => redisStore({ url, timeoutMs: PATIENT_MS }), testCase));

  needsBuild.it('lets several processes write at once without losing or repeating a count', async () => {
    const { sums, winners } = await countInProcesses(
      `redisStore({ url: ${JSON.stringify(url)}, timeoutMs: ${PATIENT_MS} })`,
      'redis',
    );
    expect([new Set(sums).size, Math.max(...sums), winners]).toEqual([sums.length, sums.length, 1]);
  });

  it('keeps stores with different prefixes apart', async () => {
    await using one = redisStore({ url, prefix: 'one:' });
    await using two = redisStore({ url, prefix: 'two:' });
    await one.put('a', [{ key: 'a', value: '1' }]);
    expect(await two.get('a', ['a'])).toEqual([undefined]);
  });

  it('is unavailable while the server is down, and recovers by itself', async () => {
    await using store = redisStore({ url, timeoutMs: 2_000 });
    await store.put('down', [{ key: 'a', value: '1' }]);
    await redis.kill();
    const message = expect.stringMatching(`^Redis at ${url} failed: .+ Check that it runs`);
    for (let call = 0; call < 3; call++) {
      await expect(store.get('down', ['a'])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message });
    }
    await redis.restart();
    const deadline = performance.now() + 20_000;
    let values: unknown;
    while (values === undefined && performance.now() < deadline) {
      values = await store.get('down', ['a']).catch(() => sleep(50));
    }
    expect(values).toEqual([undefined]);
    expect(await store.increment('down', { count: 1 })).toEqual({ count: 1 });
  });

  it('fails within half a second when the server hangs, then at once, and recovers by itself', async () => {
    await using store = redisStore({ url });
    await store.put('hangs', [{ key: 'a', value: '1' }]);
    const call = async () => {
      const sentAt = performance.now();
      const result = await store.get('hangs', ['a']).catch((error: unknown) => error);
      return { result, ms: performance.now() - sentAt };
    };
    const refused = expect.objectContaining({ code: 'STORE_UNAVAILABLE' });
    redis.hang();
    try {
      const first = await Promise.all([call(), call(), call()]);
      expect(first.map(({ result }) => result)).toEqual([refused, refused, refused]);
      expect(Math.max(...first.map(({ ms }) => ms))).toBeLessThan(10_000);
      // At least as long as two probes take.
      const until = performance.now() + 2_500;
      const later = [];
      while (later.length <= 50 || performance.now() < until) {
        later.push(await call());
        await sleep(10);
      }
      expect(later.every(({ result }) => result instanceof Error)).toBe(true);
    } finally {
      redis.resume();
    }
    await expect.poll(async () => (await call()).result, { timeout: 5_000 }).toEqual([Buffer.from('1')]);
    expect(await store.increment('hangs', { count: 1 })).toEqual({ count: 1 });
  });

  it('fails within half a second when the server hangs before the first call', async () => {
    await using store = redisStore({ url });
    redis.hang();
    await expect(store.get('hangs', ['a'])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    redis.resume();
    const get = () => store.get('hangs', ['none']).catch(() => 'unavailable');
    await expect.poll(get, { timeout: 5_000 }).toEqual([undefined]);
  });

  it('does not take a busy process for a server that hangs', async () => {
    await using store = redisStore({ url, timeoutMs: 100 });
    await store.put('busy', [{ key: 'a', value: '1' }]);
    const reading = store.get('busy', ['a']);
    await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + 300;
    while (performance.now() < until);
    expect(await reading).toEqual([Buffer.from('1')]);
  });
});

test('names an unreachable server in the error, without its password', async () => {
  await using store = redisStore({ url: 'redis://ada:secret@127.0.0.1:1', timeoutMs: 1_000 });
  const thrown: unknown = await store.get('a', ['a']).catch((error) => error);
  expect(thrown).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('Redis at 127.0.0.1:1 '),
  });
  expect(String(thrown)).not.toContain('secret');
});
