import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryQueue } from '../../../../../test/fixtures/memory-queue.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { claim, claimOne, submitted } from '../../../../../test/suites/queues/case.ts';
import { queueCases, runQueueCase, SUITE_LEASE_MS } from '../../../../../test/suites/queues.ts';
import { postgresQueue } from './postgres.ts';

describe('memory', () => {
  it.for(queueCases)('$name', (testCase) => {
    const queue = memoryQueue({ leaseMs: SUITE_LEASE_MS });
    return runQueueCase(async () => ({ queue, other: queue }), testCase);
  });
});

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  // Each case has a database: the lead and the numbers are those of a whole cluster.
  it.for(queueCases)('$name', (testCase) =>
    runQueueCase(async () => {
      const options = { url: await postgres.create(), key: randomBytes(32), leaseMs: SUITE_LEASE_MS };
      // Queues with other options do not share their connections.
      return { queue: postgresQueue(options), other: postgresQueue({ ...options, connections: 4 }) };
    }, testCase),
  );

  it('seals requests and results, and leaves work of another key to processes with that key', async () => {
    const url = await postgres.create();
    await using queue = postgresQueue({ url, key: randomBytes(32) });
    await using stranger = postgresQueue({ url, key: randomBytes(32) });
    const id = await submitted(queue, { request: 'ada@example.com asks', session: 'ada@example.com' });
    expect(await claim(stranger)).toEqual([]);
    await queue.finish(await claimOne(queue), 'ada@example.com gets');
    expect(postgres.bytes(url).includes('ada@example.com')).toBe(false);
    expect((await queue.outcomes([id]))[0]?.result).toBe('ada@example.com gets');
  });

  it('deletes work a day after its end, and users without work', async () => {
    const url = await postgres.create();
    await using queue = postgresQueue({ url, key: randomBytes(32) });
    const [old, waiting] = [await submitted(queue, { user: 'ada' }), await submitted(queue, { user: 'bob' })];
    await queue.finish(await claimOne(queue), 'done');
    await queue.suspend(await claimOne(queue), { delayMs: 60_000, result: null });
    await submitted(queue, { user: 'eve' });
    const past = "clock_timestamp() - interval '25 hours'";
    postgres.sql(url, `update toolwright.work set ended_at = ${past} where state = 'ended'`);
    postgres.sql(url, `update toolwright.work_users set served_at = ${past}`);
    await queue.reconcile(randomUUID(), 10);
    expect((await queue.outcomes([old, waiting])).map(({ id }) => id)).toEqual([waiting]);
    const users = `select convert_from(user_id, 'UTF8') from toolwright.work_users order by 1`;
    expect(postgres.sql(url, users)).toBe('bob\neve');
  });

  it('claims past work whose row another worker has locked, and later that work', async () => {
    const url = await postgres.create();
    await using queue = postgresQueue({ url, key: randomBytes(32) });
    const ids = [await submitted(queue, { user: 'ada' }), await submitted(queue, { user: 'ada' })];
    const other = new Client({ connectionString: url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from toolwright.work where id = $1 for update', [ids[0]]);
      const claimed = await Promise.race([claim(queue, { most: 2 }), setTimeout(20_000, 'waits for the lock')]);
      expect(claimed).toMatchObject([{ id: ids[1] }]);
    } finally {
      await other.end();
    }
    expect((await claimOne(queue)).id).toBe(ids[0]);
  });

  it('runs work again whose run did not read a decision', async () => {
    const url = await postgres.create();
    await using queue = postgresQueue({ url, key: randomBytes(32) });
    const id = await submitted(queue);
    const work = await claimOne(queue);
    const execution = `insert into toolwright.executions (id, day, fence) values ('${id}', current_date, 1)`;
    const decision = `insert into toolwright.decisions (execution, call, question, content, is_applied) values ('${id}', 1, 1, '', false)`;
    postgres.sql(url, `${execution}; ${decision}; update toolwright.work set wake = false`);
    expect(await queue.suspend(work, { delayMs: 3_600_000, result: null })).toBe('waiting');
    await expect.poll(() => claim(queue), { timeout: 20_000 }).toMatchObject([{ id }]);
  });

  it('keeps the numbers of users exact while workers claim, lose, cancel and end work at once', async () => {
    const url = await postgres.create();
    const options = { url, key: randomBytes(32), leaseMs: 40 };
    await using queue = postgresQueue(options);
    await using other = postgresQueue({ ...options, connections: 4 });
    const ids = await Promise.all(
      Array.from({ length: 80 }, (_, index) => submitted(queue, { user: `u${index % 4}`, session: `s${index % 9}` })),
    );
    const user = (id: string) => `u${ids.indexOf(id) % 4}`;
    const work = async (from: typeof queue, seed: number) => {
      for (let round = 0; round < 25; round++) {
        const worker = randomUUID();
        const found = await claim(from, { worker, most: 3, perUser: 4 });
        for (const claimed of found) {
          const choice = (round + seed + claimed.fence) % 5;
          if (choice === 0) await from.finish(claimed, 'done');
          if (choice === 1) await from.suspend(claimed, { delayMs: 5, result: null });
          if (choice === 2) await from.release(claimed, { isLost: true });
          if (choice === 3) await from.cancel(claimed.id, user(claimed.id));
        }
        await from.renew(
          worker,
          found.map(({ id }) => id),
        );
        await from.wake(ids[(round * 7 + seed) % ids.length] ?? '');
      }
    };
    await Promise.all([work(queue, 0), work(other, 1), work(queue, 2), work(other, 3)]);
    const wrong = `select count(*) from toolwright.work_users u where
      u.ready <> (select count(*) from toolwright.work w where w.user_id = u.user_id and w.state = 'ready') or
      u.running <> (select count(*) from toolwright.work w where w.user_id = u.user_id and w.state = 'running')`;
    expect(postgres.sql(url, wrong)).toBe('0');
    expect(Number(postgres.sql(url, `select count(*) from toolwright.work where state = 'ended'`))).toBeGreaterThan(5);
  });
});
