import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsRedis, startRedis, type TestRedis } from '../../../../test/fixtures/redis.ts';
import { checkRedis } from './redis-check.ts';
import { openClient } from './redis-connection.ts';

needsRedis.describe('the check of Redis', () => {
  let server: TestRedis;
  let redis: Awaited<ReturnType<typeof openClient>>;
  beforeAll(async () => {
    server = await startRedis();
    redis = await openClient(server.url, 5_000);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  it('accepts a new server, and names the command for one that evicts entries', async () => {
    expect(await checkRedis(redis, { cluster: 'toolwright', id: undefined })).toEqual([]);
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await checkRedis(redis, { cluster: 'toolwright', id: undefined })).toEqual([
      `Redis at ${server.url} has maxmemory-policy allkeys-lru, so it may evict entries of Toolwright. Run: redis-cli CONFIG SET maxmemory-policy noeviction, and set it in redis.conf.`,
    ]);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
  });

  it('refuses the Redis of another cluster with the same name, and accepts two names', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    for (const id of [one, one]) expect(await checkRedis(redis, { cluster: 'toolwright', id })).toEqual([]);
    expect(await checkRedis(redis, { cluster: 'blue', id: two })).toEqual([]);
    await expect(checkRedis(redis, { cluster: 'toolwright', id: two })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/another cluster with the name "toolwright"\. Add cluster=NAME/),
    });
    await redis.flushall();
    expect(await checkRedis(redis, { cluster: 'toolwright', id: two })).toEqual([]);
  });

  it('reports a server that does not answer', async () => {
    const away = await openClient('/nowhere/socket', 300);
    expect(await checkRedis(away, { cluster: 'toolwright', id: undefined })).toEqual([
      expect.stringMatching(/^Redis at \/nowhere\/socket does not answer \(.+\)\. Check that it runs/),
    ]);
    away.disconnect();
  });
});
