import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { needsRedis, startRedis, type TestRedis } from '../../../../../test/fixtures/redis.ts';
import { dispatcherCases, runDispatcherCase } from '../../../../../test/suites/dispatchers.ts';
import { bullmqDispatcher } from './bullmq.ts';
import type { Dispatcher } from './dispatcher.ts';
import { memoryDispatcher } from './memory.ts';

describe('memory', () => {
  it.for(dispatcherCases)('$name', (testCase) => {
    const dispatcher = memoryDispatcher();
    return runDispatcherCase(async () => ({ dispatcher, other: dispatcher }), testCase);
  });
});

needsRedis.describe('bullmq', () => {
  let redis: TestRedis;
  const warnings: string[] = [];
  const logger = { warn: (_fields: unknown, message?: string) => void warnings.push(String(message)) };
  const open = (cluster: string = randomUUID()) =>
    bullmqDispatcher({ url: redis.url, cluster, nameOf: (id) => `name-of-${id}`, logger });
  const cli = (...command: string[]) => spawnSync('redis-cli', ['-s', redis.url, ...command], { encoding: 'utf8' });
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  it.for(dispatcherCases)('$name', (testCase) =>
    runDispatcherCase(async () => {
      const cluster = randomUUID();
      return { dispatcher: await open(cluster), other: await open(cluster) };
    }, testCase),
  );

  /** Reports work until a listener gets a report. */
  const reaches = async (dispatcher: Dispatcher, reports: () => number) => {
    const before = reports();
    const notify = () => {
      dispatcher.notify([{ id: randomUUID() }]);
      return reports();
    };
    await expect.poll(notify, { timeout: 15_000 }).toBeGreaterThan(before);
  };

  it('works again after Redis was emptied, killed and started empty, and fails at once meanwhile', async () => {
    await using dispatcher = await open();
    let reports = 0;
    const listening = dispatcher.listen(async () => void reports++);
    await reaches(dispatcher, () => reports);
    cli('flushall');
    await reaches(dispatcher, () => reports);
    await redis.kill();
    await expect.poll(() => dispatcher.isConnected).toBe(false);
    const used = processorTime();
    for (let count = 0; count < 1_000; count++) dispatcher.notify([{ id: randomUUID() }]);
    expect(used()).toBeLessThan(5_000);
    await redis.restart();
    await reaches(dispatcher, () => reports);
    await listening.close();
  });

  it('starts without Redis, and uses it when it is there', async () => {
    await redis.kill();
    await using dispatcher = await open();
    expect(dispatcher.isConnected).toBe(false);
    let reports = 0;
    const listening = dispatcher.listen(async () => void reports++);
    await redis.restart();
    await reaches(dispatcher, () => reports);
    await listening.close();
  });

  it('warns of a Redis that may evict jobs, with the fix', async () => {
    cli('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    warnings.length = 0;
    await using _dispatcher = await open();
    await expect.poll(() => warnings.join()).toContain('redis-cli config set maxmemory-policy noeviction');
    cli('config', 'set', 'maxmemory-policy', 'noeviction');
  });
});
