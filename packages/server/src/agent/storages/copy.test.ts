import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryBus, openPostgres, openSqlite } from '@toolwright/storage/internal';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { needsPostgres, sharedPostgres } from '../../../../../test/fixtures/postgres.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { newRecord } from '../../../../../test/suites/task-storages.ts';
import { exportTasks, importTasks } from './copy.ts';
import { taskRows } from './rows.ts';
import type { TaskStorage } from './storage.ts';

const logger = { error: () => undefined };
const openFolder = (dataDir: string) =>
  taskRows({ database: openSqlite(join(dataDir, 'state.db')), bus: memoryBus(), logger: partial(logger) });

async function listed(tasks: TaskStorage, user: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of tasks.list(user)) ids.push(id);
  return ids;
}

needsPostgres.describe('the tasks of a data folder', () => {
  it('move to a database and back, with their order, transcripts and owners', async () => {
    const [dataDir, target, store] = [temporaryFolder(), temporaryFolder(), await (await sharedPostgres()).create()];
    const user = 'ada ☃';
    const records = [0, 1, 2].map((index) => ({
      ...newRecord(user, `s${index}`, 'x\u0000'),
      createdAt: new Date(Date.now() + index).toISOString(),
    }));
    const [first, second, third] = records.map(({ id }) => id) as [string, string, string];
    const source = openFolder(dataDir);
    for (const record of records) {
      const own = await source.create(record);
      own.append({ entry: 'event', event: { number: 1, type: 'status', status: 'running' } });
      await own.flushed();
      if (record.id !== third) await own.release();
    }
    const entries = await Promise.all(records.map(({ id }) => source.read(id)));
    // The process of the third task is dead: it has released nothing.
    const copied = await importTasks(dataDir, { store });
    expect([copied.tasks?.rows, copied.task_lines?.rows]).toEqual([3, 6]);
    expect(await failureOf(importTasks(dataDir, { store }))).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await importTasks(dataDir, { store }, { overwrite: true })).toEqual(copied);
    await source[Symbol.asyncDispose]();

    await using tasks = taskRows({ database: openPostgres({ url: store }), bus: memoryBus(), logger: partial(logger) });
    expect(await listed(tasks, user)).toEqual([third, second, first]);
    expect(await Promise.all(records.map(({ id }) => tasks.read(id)))).toEqual(entries);
    expect(await tasks.waiting()).toEqual([third]);
    const continued = await tasks.acquire(first);
    continued?.append({ entry: 'event', event: { number: 2, type: 'text-delta', text: 'more' } });
    await continued?.flushed();
    await continued?.release();

    expect((await exportTasks({ store }, target)).tasks?.rows).toBe(3);
    await using copy = openFolder(target);
    expect(await listed(copy, user)).toEqual([third, second, first]);
    expect((await copy.read(first))?.length).toBe(3);
    expect(await copy.read(second)).toEqual(entries[1]);
    expect(await copy.waiting()).toEqual([third]);
    rmSync(target, { recursive: true });
  });
});
