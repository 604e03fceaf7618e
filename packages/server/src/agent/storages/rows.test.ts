import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { newRecord, runTaskStorageCase, taskStorageCases } from '../../../../../test/suites/task-storages.ts';
import type { Bus } from '../../../../storage/src/buses/bus.ts';
import { memoryBus } from '../../../../storage/src/buses/memory.ts';
import { openPostgres } from '../../../../storage/src/postgres/connection.ts';
import { openSqlite } from '../../../../storage/src/sqlite/database.ts';
import { taskRows } from './rows.ts';
import type { TaskStorage } from './storage.ts';

const logger = { error: console.error };
const SHORT_MS = 2_000;
const LONG_MS = 60_000;
const NEVER_MS = 2 ** 30;

/** Runs the cases on databases of an engine, with and without messages between two owners. */
function describeCases(open: (options: OpenOptions) => TaskStorage, newDatabase: () => Promise<string>): void {
  for (const name of ['one bus', 'lost messages'])
    it.for(taskStorageCases)(`with ${name}: $name`, async ({ expires = false, ...testCase }) => {
      const shared = memoryBus();
      const bus = () => (name === 'one bus' ? shared : memoryBus());
      const database = await newDatabase();
      const one = open({ ...(expires ? { ttlMs: SHORT_MS, renewMs: NEVER_MS } : {}), bus: bus(), database });
      const expire = () => sleep(SHORT_MS * 1.2);
      await runTaskStorageCase({ one, other: open({ bus: bus(), database }), expire }, testCase);
    });
}

interface OpenOptions {
  readonly ttlMs?: number;
  readonly renewMs?: number;
  readonly bus?: Bus;
  readonly database?: string;
}

describe('sqlite', () => {
  const newFile = async () => join(temporaryFolder(), 'state.db');
  const open = ({ ttlMs = LONG_MS, renewMs = 100, bus = memoryBus(), database = '' }: OpenOptions) =>
    taskRows({ database: openSqlite(database), bus, ttlMs, renewMs, logger: partial(logger) });
  describeCases(open, newFile);

  it('has leases that another thread renews while this one is busy', async () => {
    const database = await newFile();
    await using one = open({ ttlMs: SHORT_MS, database });
    await using other = open({ database });
    const record = newRecord('ada');
    const transcript = await one.create(record);
    await transcript.flushed();
    await expect
      .poll(async () => (await other.lease(record.id))?.expiresMs)
      .not.toBe((await other.lease(record.id))?.expiresMs);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SHORT_MS * 1.5);
    expect([await other.acquire(record.id), transcript.isHeld()]).toEqual([undefined, true]);
  });

  it('deletes tasks without a recent change, except those with an owner', async () => {
    const path = await newFile();
    await using database = openSqlite(path);
    await using storage = open({ database: path });
    await expectPurge(storage, (days, ids) =>
      database.write(
        "update toolwright.tasks set changed_at = now() - $1 * interval '1 day' where id = any($2::uuid[])",
        [days, ids],
      ),
    );
    expect((await database.read('select task from toolwright.task_lines')).length).toBe(2);
  });
});

/** Checks that of three tasks, the old one without an owner is deleted. */
async function expectPurge(
  storage: TaskStorage,
  age: (days: number, ids: readonly string[]) => unknown,
): Promise<void> {
  const records = ['old', 'owned', 'new'].map((task) => newRecord('ada', 'session', task));
  const [old, owned, fresh] = await Promise.all(records.map((record) => storage.create(record)));
  for (const transcript of [old, owned, fresh]) await transcript?.flushed();
  await old?.release();
  await fresh?.release();
  await age(
    91,
    records.slice(0, 2).map(({ id }) => id),
  );
  const { signal } = new AbortController();
  expect([await storage.purge(0, signal), await storage.purge(90, signal)]).toEqual([0, 1]);
  const read = await Promise.all(records.map(({ id }) => storage.read(id)));
  expect(read.map((entries) => entries?.length)).toEqual([undefined, 1, 1]);
}

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.create();
  });
  afterAll(() => postgres?.stop());

  const open = ({ ttlMs = LONG_MS, renewMs = 100, bus = memoryBus(), database = url }: OpenOptions = {}) =>
    taskRows({ database: openPostgres({ url: database }), bus, ttlMs, renewMs, logger: partial(logger) });
  describeCases(open, () => postgres.create());

  it('keeps renewed leases, and reports a loss and a request to cancel to the owner', async () => {
    await using one = open({ ttlMs: SHORT_MS });
    // Without a message, the next renewal carries the request.
    await using other = open();
    const record = newRecord('ada');
    const transcript = await one.create(record);
    const seen: string[] = [];
    transcript.listen({ lost: () => seen.push('lost'), cancelRequested: () => seen.push('cancel') });
    await transcript.flushed();
    await sleep(SHORT_MS * 1.5);
    expect([await other.acquire(record.id), transcript.isHeld(), seen]).toEqual([undefined, true, []]);
    await other.requestCancel?.(record.id);
    await expect.poll(() => seen, { timeout: 10_000 }).toContain('cancel');
    postgres.sql(
      url,
      `update toolwright.tasks set owner = gen_random_uuid(), fence = fence + 1 where id = '${record.id}'`,
    );
    await expect.poll(() => seen, { timeout: 10_000 }).toContain('lost');
    expect(transcript.isHeld()).toBe(false);
  });

  it('gives a task up whose lines it cannot read', async () => {
    const database = await postgres.create();
    await using one = open({ ttlMs: SHORT_MS, database });
    await using other = open({ database });
    const record = newRecord('ada');
    const created = await one.create(record);
    await created.release(true);
    postgres.sql(database, 'alter table toolwright.task_lines rename to moved');
    await expect(one.acquire(record.id)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    postgres.sql(database, 'alter table toolwright.moved rename to task_lines');
    await expect.poll(() => other.waiting(), { timeout: 20_000 }).toEqual([record.id]);
    expect(await other.acquire(record.id)).toBeDefined();
  });

  it('refuses commits of an owner that does not know of its loss yet', async () => {
    await using one = open({ renewMs: NEVER_MS });
    await using other = open();
    const record = newRecord('ada');
    const former = await one.create(record);
    await former.flushed();
    postgres.sql(url, `update toolwright.tasks set expires_at = now() - interval '1 s' where id = '${record.id}'`);
    const next = await other.acquire(record.id);
    expect(former.isHeld()).toBe(true);
    former.append({ entry: 'event', event: { number: 1, type: 'text-delta', text: 'late' } });
    await expect(former.flushed()).rejects.toMatchObject({ code: 'TASK_TAKEN_OVER' });
    await expect(former.release()).rejects.toMatchObject({ code: 'TASK_TAKEN_OVER' });
    expect([(await other.read(record.id))?.length, next?.isHeld()]).toEqual([1, true]);
    expect((await one.lease(record.id))?.isAlive).toBe(true);
  });

  it('lists released tasks that wait, until they are acquired', async () => {
    await using one = open({ database: await postgres.create() });
    const record = newRecord('ada');
    await (await one.create(record)).release(true);
    expect(await one.waiting()).toEqual([record.id]);
    const transcript = await one.acquire(record.id);
    expect(await one.waiting()).toEqual([]);
    await transcript?.release();
    expect(await one.waiting()).toEqual([]);
  });

  it('deletes tasks without a recent change, except those with an owner', async () => {
    const database = await postgres.create();
    await using storage = open({ database });
    await expectPurge(storage, (days, ids) =>
      postgres.sql(
        database,
        `update toolwright.tasks set changed_at = now() - interval '${days} days' where id in (${ids.map((id) => `'${id}'`)})`,
      ),
    );
    expect(postgres.sql(database, 'select count(*) from toolwright.task_lines')).toBe('2');
  });

  it('waits for a database that restarts, and writes each entry once', async () => {
    await using storage = open();
    const record = newRecord('ada');
    const transcript = await storage.create(record);
    for (let number = 1; number <= 60; number++) {
      transcript.append({ entry: 'event', event: { number, type: 'text-delta', text: 'x' } });
      if (number === 20) {
        await transcript.flushed();
        await postgres.kill();
        const flushed = transcript.flushed();
        await postgres.restart();
        await flushed;
      } else if (number % 3 === 0) await transcript.flushed();
    }
    await transcript.flushed();
    expect((await storage.read(record.id))?.length).toBe(61);
  });
});
