import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { needsRedis, startRedis, type TestRedis } from '../../../../test/fixtures/redis.ts';
import { countInProcesses, needsBuild } from '../../../../test/fixtures/store-processes.ts';
import { runStoreCase, storeCases } from './conformance.ts';
import { redisStore } from './redis.ts';

needsRedis.describe('redis', () => {
  let redis: TestRedis;
  let url: string;
  beforeAll(async () => {
    redis = await startRedis();
    url = redis.url;
  });
  afterAll(() => redis.stop());

  it.for(storeCases)('$name', (testCase) => runStoreCase(() => redisStore({ url }), testCase));

  needsBuild.it('lets several processes write at once, and loses and doubles nothing', async () => {
    const { sums, winners } = await countInProcesses(`redisStore({ url: ${JSON.stringify(url)} })`, 'redis');
    expect([new Set(sums).size, Math.max(...sums), winners]).toEqual([sums.length, sums.length, 1]);
  });

  it('keeps stores with different prefixes apart', async () => {
    await using one = redisStore({ url, prefix: 'one:' });
    await using two = redisStore({ url, prefix: 'two:' });
    await one.put('a', [{ key: 'a', value: '1' }]);
    expect(await two.get('a', ['a'])).toEqual([undefined]);
  });

  it('is unavailable while the server is down, and works again by itself', async () => {
    await using store = redisStore({ url, timeoutMs: 2_000 });
    await store.put('down', [{ key: 'a', value: '1' }]);
    await redis.kill();
    const message = expect.stringMatching(`^Redis at ${url} did not do what was asked: .+ Check that it runs`);
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
});

test('a server that is not there is an error that names it, without its password', async () => {
  await using store = redisStore({ url: 'redis://ada:secret@127.0.0.1:1', timeoutMs: 1_000 });
  const thrown: unknown = await store.get('a', ['a']).catch((error) => error);
  expect(thrown).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('Redis at 127.0.0.1:1 '),
  });
  expect(String(thrown)).not.toContain('secret');
});
