import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryDispatcher } from '../../../../../test/fixtures/memory-dispatcher.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { needsRedis, startRedis, type TestRedis } from '../../../../../test/fixtures/redis.ts';
import { dispatcherCases, runDispatcherCase } from '../../../../../test/suites/dispatchers.ts';
import { bullmqDispatcher } from './bullmq.ts';
import type { Dispatcher } from './dispatcher.ts';
import { postgresDispatcher } from './postgres.ts';

describe('memory', () => {
  it.for(dispatcherCases)('$name', (testCase) => {
    const dispatcher = memoryDispatcher();
    return runDispatcherCase(async () => ({ dispatcher, other: dispatcher }), testCase);
  });
});

/** Reports work until a listener gets a report. */
async function reaches(dispatcher: Dispatcher, reports: () => number): Promise<void> {
  const before = reports();
  const notify = () => {
    dispatcher.notify([{ id: randomUUID() }]);
    return reports();
  };
  await expect.poll(notify, { timeout: 15_000 }).toBeGreaterThan(before);
}

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  const logger = { warn: () => undefined };
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  /** Opens two dispatchers that share no connection, as in two processes. */
  const open = async () => {
    const url = await postgres.create();
    const other = postgresDispatcher({ url: `${url}&cluster=toolwright`, logger });
    return { url, dispatcher: postgresDispatcher({ url, logger }), other };
  };

  it.for(dispatcherCases)('$name', (testCase) => runDispatcherCase(open, testCase));

  it('goes on after its connection that listens ended, and after a restart of the server', async () => {
    const { url, dispatcher, other } = await open();
    await using _dispatcher = dispatcher;
    await using _other = other;
    let reports = 0;
    const listening = dispatcher.listen(async () => void reports++);
    await reaches(other, () => reports);
    const ofListeners = `from pg_stat_activity where application_name = 'toolwright listener'`;
    postgres.sql(url, `select pg_terminate_backend(pid) ${ofListeners} and datname = current_database()`);
    await reaches(other, () => reports);
    await postgres.restart();
    await reaches(other, () => reports);
    await listening.close();
  });

  it('gives no reports to a listener without signs of life, and needs no listener', async () => {
    const { url, dispatcher, other } = await open();
    await using _dispatcher = dispatcher;
    await using _other = other;
    other.notify([{ id: randomUUID() }]);
    let reports = 0;
    const listening = dispatcher.listen(async () => void reports++);
    const dead = `'dead', false, clock_timestamp() - interval '7 seconds'`;
    const rows = 'select channel from toolwright.work_listeners';
    await expect.poll(() => postgres.sql(url, rows), { timeout: 15_000 }).toMatch(/^toolwright_work_/);
    postgres.sql(url, `insert into toolwright.work_listeners (channel, is_paused, seen_at) values (${dead})`);
    const before = reports;
    other.notify(Array.from({ length: 21 }, () => ({ id: randomUUID() })));
    // The report before may come only now.
    await expect.poll(() => reports - before, { timeout: 15_000 }).toBeGreaterThanOrEqual(21);
    await listening.close();
    expect(reports).toBeLessThanOrEqual(22);
    expect(postgres.sql(url, rows)).toBe('dead');
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
