import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryBus } from '@toolwright/storage/internal';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { newRecord } from '../../../../../test/suites/task-storages.ts';
import { openFolder } from './open.ts';
import { taskRows } from './rows.ts';

/** Writes tasks as a former version did: a transcript each, and a claim of the second one. */
function writeOldTasks(dataDir: string, owner: string) {
  const root = join(dataDir, 'tasks');
  mkdirSync(join(root, 'leases'), { recursive: true });
  const records = [2, 1, 0].map((age) => ({
    ...newRecord('ada ☃', `s${age}`, 'x\u0000'),
    createdAt: new Date(Date.now() - age * 1_000).toISOString(),
  }));
  for (const record of records) {
    const event = { entry: 'event', event: { number: 1, type: 'status', status: 'running' } };
    const lines = [{ entry: 'task', ...record }, event].map((entry) => `${JSON.stringify(entry)}\n`);
    writeFileSync(join(root, `${record.id}.jsonl`), `${lines.join('')}{"entry":"eve`);
  }
  const [first, second, third] = records.map(({ id }) => id) as [string, string, string];
  writeFileSync(join(root, 'leases', `${second}.1`), owner);
  const changed = new Date('2026-01-02T03:04:05.000Z');
  utimesSync(join(root, `${first}.jsonl`), changed, changed);
  return { root, first, second, third, changed };
}

const quiet = { warn: () => undefined, error: () => undefined };

test('the files of a former version become rows once, with their order, times and owners', async () => {
  const dataDir = temporaryFolder();
  const { root, first, second, third, changed } = writeOldTasks(dataDir, randomUUID());
  const damaged = randomUUID();
  writeFileSync(join(root, `${damaged}.jsonl`), 'no line\n');
  const problems: unknown[] = [];
  const database = await openFolder(dataDir, partial({ warn: (fields: unknown) => void problems.push(fields) }));
  await using tasks = taskRows({ database, bus: memoryBus(), logger: partial(quiet) });
  const ids: string[] = [];
  for await (const id of tasks.list('ada ☃')) ids.push(id);
  expect(ids).toEqual([third, second, first]);
  expect((await tasks.read(first))?.map(({ entry }) => entry)).toEqual(['task', 'event']);
  expect(await tasks.waiting()).toEqual([second]);
  const [row] = await database.read(
    'select extract(epoch from changed_at) * 1000 as ms from toolwright.tasks where id = $1',
    [first],
  );
  expect(row?.ms).toBe(changed.getTime());
  expect(problems).toMatchObject([{ taskId: damaged, problem: 'line 1 is not a valid entry' }, { tasks: 3 }]);
  const [backup = ''] = readdirSync(dataDir).filter((name) => name.startsWith('tasks'));
  expect(readdirSync(join(dataDir, backup)).length).toBe(5);

  // An import that was interrupted before its end is repeated.
  renameSync(join(dataDir, backup), root);
  (await tasks.acquire(first))?.append({ entry: 'event', event: { number: 2, type: 'text-delta', text: 'new' } });
  await (await openFolder(dataDir, partial(quiet)))[Symbol.asyncDispose]();
  await expect.poll(async () => (await tasks.read(first))?.length).toBe(3);
  expect(existsSync(root)).toBe(false);
});

test('a running process of a former version is refused', async () => {
  const dataDir = temporaryFolder();
  const id = '11111111-2222-4333-8444-555555555555';
  writeOldTasks(dataDir, id);
  mkdirSync(join(dataDir, 'owners'));
  writeFileSync(join(dataDir, 'owners', `${id}.${Date.now() + 60_000}.0.00000000`), '');
  expect(await failureOf(openFolder(dataDir, partial(quiet)))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/former version of Toolwright works in the data folder .* Stop it/),
  });
});
