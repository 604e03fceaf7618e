import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Database, memorySqlite, openPostgres, openSqlite, type Prepared } from '@toolwright/storage/internal';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../test/fixtures/postgres.ts';
import { claim, claimOne, submitted } from '../../../../test/suites/queues/case.ts';
import { queueCases, runQueueCase, SUITE_LEASE_MS } from '../../../../test/suites/queues.ts';
import { openDriver } from '../../../storage/src/sqlite/sqlite-driver.ts';
import { rowQueue } from './rows.ts';

/** Opens the tables of one machine or of a cluster as another process does. */
type Open = () => Database;

/** Checks the queue in the tables of an engine. Each case has tables of its own: the lead and the numbers are those of a whole cluster. */
function checkQueue(create: () => Promise<Open>): void {
  it.for(queueCases)('$name', async (testCase) => {
    const open = await create();
    const [key, leaseMs] = [randomBytes(32), SUITE_LEASE_MS];
    const openQueue = () => rowQueue({ database: open(), key, leaseMs });
    await runQueueCase(async () => ({ queue: openQueue(), other: openQueue() }), testCase);
  });

  it('seals requests and results, and leaves work of another key to processes with that key', async () => {
    const open = await create();
    await using queue = rowQueue({ database: open(), key: randomBytes(32) });
    await using stranger = rowQueue({ database: open(), key: randomBytes(32) });
    const id = await submitted(queue, { request: 'ada@example.com asks', session: 'ada@example.com' });
    expect(await claim(stranger)).toEqual([]);
    await queue.finish(await claimOne(queue), 'ada@example.com gets');
    await using database = open();
    const rows = await database.read('select * from toolwright.work');
    expect(rows).toMatchObject([{ id, state: 'ended', result: expect.any(String) }]);
    expect(JSON.stringify(rows)).not.toContain('ada@example.com');
    expect((await queue.outcomes([id]))[0]?.result).toBe('ada@example.com gets');
  });

  it('deletes work a day after its end, and users without work', async () => {
    const open = await create();
    await using queue = rowQueue({ database: open(), key: randomBytes(32) });
    const [old, waiting] = [await submitted(queue, { user: 'ada' }), await submitted(queue, { user: 'bob' })];
    const claimed = await claim(queue, { most: 2 });
    for (const work of claimed)
      await (work.id === old ? queue.finish(work, 'done') : queue.suspend(work, { delayMs: 60_000, result: null }));
    await submitted(queue, { user: 'eve' });
    await using database = open();
    const past = "clock_timestamp() - interval '1 day'";
    await database.write(`update toolwright.work set ended_at = ${past} where state = 'ended'`);
    await database.write(`update toolwright.work_users set served_at = ${past}`);
    await queue.reconcile(randomUUID(), 10);
    expect((await queue.outcomes([old, waiting])).map(({ id }) => id)).toEqual([waiting]);
    const users = await database.read('select user_id from toolwright.work_users order by user_id');
    expect(users.map(({ user_id }) => String(user_id))).toEqual(['bob', 'eve']);
  });

  it('runs work again whose run did not read a decision', async () => {
    const open = await create();
    await using queue = rowQueue({ database: open(), key: randomBytes(32) });
    const id = await submitted(queue);
    const work = await claimOne(queue);
    await using database = open();
    if (database.engine === 'postgres')
      await database.write(`insert into toolwright.executions (id, day, fence) values ($1, current_date, 1)`, [id]);
    const decision = `insert into toolwright.decisions (execution, call, question, content, added_at, is_applied)
      values ($1, 1, 1, '', clock_timestamp(), false)`;
    await database.write(decision, [id]);
    await database.write('update toolwright.work set wake = false');
    expect(await queue.suspend(work, { delayMs: 3_600_000, result: null })).toBe('waiting');
    await expect.poll(() => claim(queue), { timeout: 20_000 }).toMatchObject([{ id }]);
  });

  it('keeps the numbers of users exact, and runs one work of a session, while workers claim, lose, cancel and end work at once', async () => {
    const open = await create();
    const options = { key: randomBytes(32), leaseMs: 40 };
    await using queue = rowQueue({ database: open(), ...options });
    await using other = rowQueue({ database: open(), ...options });
    const ids = await Promise.all(
      Array.from({ length: 80 }, (_, index) => submitted(queue, { user: `u${index % 4}`, session: `s${index % 9}` })),
    );
    const user = (id: string) => `u${ids.indexOf(id) % 4}`;
    await using database = open();
    const doubled = `select session from toolwright.work where state = 'running' group by session having count(*) > 1`;
    const work = async (from: typeof queue, seed: number) => {
      for (let round = 0; round < 25; round++) {
        const worker = randomUUID();
        const found = await claim(from, { worker, most: 3, perUser: 4 });
        expect(await database.read(doubled)).toEqual([]);
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
    const wrong = `select u.user_id from toolwright.work_users u where
      u.ready <> (select count(*) from toolwright.work w where w.user_id = u.user_id and w.state = 'ready') or
      u.running <> (select count(*) from toolwright.work w where w.user_id = u.user_id and w.state = 'running')`;
    expect(await database.read(wrong)).toEqual([]);
    expect((await database.read(`select id from toolwright.work where state = 'ended'`)).length).toBeGreaterThan(5);
  });
}

describe('sqlite in memory', () => {
  checkQueue(async () => {
    const database = memorySqlite();
    return () => ({ ...database, [Symbol.asyncDispose]: async () => undefined });
  });
});

describe('sqlite', () => {
  checkQueue(async () => {
    const path = join(temporaryFolder(), 'state.db');
    return () => openSqlite(path);
  });

  // Each ends with the failure: SQLite is opened again then.
  it.each([
    ['full', 'pragma max_page_count = 1', /^The disk of the SQLite store .*state\.db is full \(.*\)\. Free space/],
    ['read-only', 'pragma query_only = 1', /readonly database\. Make .*state\.db and its folder writable\./],
  ])('refuses each change while the disk is %s, and keeps the acknowledged ones', async (_state, limit, message) => {
    const database = openSqlite(join(temporaryFolder(), 'state.db'));
    await using queue = rowQueue({ database, key: randomBytes(32) });
    const large = 'x'.repeat(200_000);
    const refused = async (change: () => Promise<unknown>) => {
      await database.write(limit);
      await expect(change()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(message),
      });
    };
    const id = await submitted(queue);
    const other = randomUUID();
    await refused(() => submitted(queue, { id: other, request: large }));
    expect(await queue.outcomes([id, other])).toMatchObject([{ id, state: 'ready' }]);
    const work = await claimOne(queue);
    await refused(() => queue.finish(work, large));
    expect(await queue.counts()).toMatchObject({ ready: 0, running: 1 });
    expect(await queue.finish(work, large)).toBe(true);
    expect(await queue.outcomes([id])).toMatchObject([{ state: 'ended', result: large }]);
  });

  it('refuses each change while another process has locked the file, which loses nothing', async () => {
    const path = join(temporaryFolder(), 'state.db');
    const database = openSqlite(path, { waitMs: 50 });
    await using queue = rowQueue({ database, key: randomBytes(32) });
    const id = await submitted(queue);
    const work = await claimOne(queue);
    const lock = openDriver(path);
    lock.exec('BEGIN EXCLUSIVE');
    const message = `The SQLite store was locked for 50 ms. End the other process that writes to ${path}.`;
    const other = randomUUID();
    const changes = [() => submitted(queue, { id: other }), () => queue.finish(work, 'done')];
    for (const change of changes) await expect(change()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message });
    lock.exec('ROLLBACK');
    expect(await queue.outcomes([id, other])).toMatchObject([{ id, state: 'running' }]);
    expect(await queue.finish(work, 'done')).toBe(true);
    lock.close();
  });
});

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  checkQueue(async () => {
    const url = await postgres.create();
    let connections = 4;
    // Databases with other options do not share their connections.
    return () => openPostgres({ url, connections: connections++ });
  });

  it('claims past work whose row another worker has locked, and later that work', async () => {
    const url = await postgres.create();
    await using queue = rowQueue({ database: openPostgres({ url }), key: randomBytes(32) });
    const ids = [await submitted(queue, { user: 'ada' }), await submitted(queue, { user: 'ada' })];
    const alone = await submitted(queue, { user: 'bob' });
    const other = new Client({ connectionString: url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from toolwright.work where id = any($1) for update', [[ids[0], alone]]);
      const claimed = await Promise.race([claim(queue, { most: 2 }), setTimeout(20_000, 'waits for the lock')]);
      expect(claimed).toMatchObject([{ id: ids[1] }]);
    } finally {
      await other.end();
    }
    const rest = await claim(queue, { most: 3 });
    expect(rest.map(({ id }) => id).sort()).toEqual([ids[0], alone].sort());
  });

  it('runs one work of a session although another claim ends in the middle of a claim', async () => {
    const [url, key] = [await postgres.create(), randomBytes(32)];
    await using queue = rowQueue({ database: openPostgres({ url }), key });
    const database = openPostgres({ url, connections: 2 });
    // A change that waits for another connection after it has seen the rows.
    const write: Database['write'] = (statement, values) => {
      const { text } = statement as Prepared;
      return database.write(text.replace('select set_config(', 'select pg_advisory_xact_lock(1), set_config('), values);
    };
    await using slow = rowQueue({ database: { ...database, write }, key });
    const id = await submitted(queue, { session: 's' });
    await submitted(queue, { session: 's' });
    const other = new Client({ connectionString: url });
    await other.connect();
    try {
      await other.query('select pg_advisory_lock(1)');
      const claiming = claim(slow);
      const waits = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
      await expect.poll(async () => (await other.query(waits)).rowCount, { timeout: 20_000 }).toBe(1);
      expect(await claim(queue)).toMatchObject([{ id }]);
      await other.query('select pg_advisory_unlock(1)');
      expect(await claiming).toEqual([]);
    } finally {
      await other.end();
    }
  });

  it('waits for no lock of a user or of the lead', async () => {
    const url = await postgres.create();
    await using queue = rowQueue({ database: openPostgres({ url }), key: randomBytes(32) });
    const [locked, free] = [await submitted(queue, { user: 'ada' }), await submitted(queue, { user: 'bob' })];
    await queue.reconcile(randomUUID(), 1);
    const other = new Client({ connectionString: url });
    await other.connect();
    try {
      await other.query(`update toolwright.leaders set expires_at = clock_timestamp()`);
      await other.query('begin');
      await other.query(`select from toolwright.work_users where user_id = 'ada' for update`);
      await other.query('select from toolwright.leaders for update');
      expect(await claim(queue, { most: 2 })).toMatchObject([{ id: free }]);
      expect(await claim(queue)).toEqual([]);
      expect(await queue.reconcile(randomUUID(), 1)).toBeUndefined();
    } finally {
      await other.end();
    }
    expect(await claim(queue)).toMatchObject([{ id: locked }]);
    expect(await queue.reconcile(randomUUID(), 1)).toBeDefined();
  });

  it('gives the work of a user to others although a process was stopped in the middle of a change', async () => {
    const url = await postgres.create();
    const [key, database] = [randomBytes(32), openPostgres({ url })];
    const id = await submitted(rowQueue({ database, key }));
    let resume: () => void = () => undefined;
    const isResumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let isStopped: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => {
      isStopped = resolve;
    });
    // A process that stops after its first statement.
    const stops: Database = {
      ...database,
      transaction: (work, options) =>
        database.transaction(
          (query) =>
            work(async (...statement) => {
              const rows = await query(...statement);
              isStopped();
              await isResumed;
              return rows;
            }),
          options,
        ),
    };
    const failing = rowQueue({ database: stops, key }).cancel(id, 'ada');
    await stopped;
    await using other = rowQueue({ database: openPostgres({ url, connections: 2 }), key });
    expect(await other.cancel(id, 'ada')).toBe('cancelled');
    resume();
    await expect(failing).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await database[Symbol.asyncDispose]();
  });
});
