import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { taskRows } from '../../packages/server/src/agent/storages/rows.ts';
import { memoryBus } from '../../packages/storage/src/buses/memory.ts';
import { openSqlite } from '../../packages/storage/src/sqlite/database.ts';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { addOwner } from '../fixtures/execution-rows.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { newRecord } from '../suites/task-storages.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

/** Creates a folder with a key, an execution, and a session with a file. */
async function openUsedDesk(env: Readonly<Record<string, string>> = {}): Promise<Desk & { readonly data: string }> {
  const desk = openDesk();
  Object.assign(desk.env, env);
  expect(await desk.run(['keys', 'create', '--user', 'ada', '--name', 'laptop'])).toMatchObject({ code: 0 });
  const program = 'await fs.writeFile("/workspace/note.txt", "of ada@example.com"); return "written"';
  const ran = await desk.run(['run', '-e', program, '--session', SESSION, '--sandbox', 'quickjs']);
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('written') });
  return { ...desk, data: join(desk.folder, 'state/toolwright') };
}

/** Returns the visible state: the keys, the executions and the file of the session. */
async function seen({ run }: Pick<Desk, 'run'>): Promise<unknown> {
  const { keys } = JSON.parse((await run(['keys', 'list', '--json'])).out);
  const { executions } = JSON.parse((await run(['executions', 'list', '--json'])).out);
  const program = 'return fs.readFile("/workspace/note.txt")';
  const note = await run(['run', '-e', program, '--session', SESSION, '--sandbox', 'quickjs', '--json']);
  return {
    keys: keys.map(({ id, name }: { id: string; name: string }) => [id, name]),
    executions: executions.map(({ id }: { id: string }) => id),
    note: JSON.parse(note.out).value,
  };
}

it('copies the data folder and the store, and restores them elsewhere', async () => {
  const desk = await openUsedDesk();
  const link = join(desk.data, 'sessions', SESSION, 'workspace', 'outside');
  symlinkSync('/etc/hostname', link);
  const task = newRecord('ada');
  {
    await using tasks = taskRows({
      database: openSqlite(join(desk.data, 'state.db')),
      bus: memoryBus(),
      logger: console,
    });
    const transcript = await tasks.create(task);
    await transcript.flushed();
    const busy = await desk.run(['backup', join(desk.folder, 'sunday')]);
    expect([busy.code, busy.err]).toEqual([2, expect.stringContaining('1 process works in the data folder')]);
  }
  const folder = join(desk.folder, 'monday');
  const made = await desk.run(['backup', folder, '--json']);
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining('The backup has no keys. Keep master.key') });
  expect(JSON.parse(made.out)).toMatchObject({ folder, files: expect.any(Number), entries: expect.any(Number) });
  expect(readdirSync(folder).sort()).toEqual(['backup.json', 'data', 'store.db']);
  expect(existsSync(join(folder, 'data/sessions', SESSION, 'workspace/outside'))).toBe(false);
  expect(existsSync(join(folder, 'data/master.key'))).toBe(false);
  rmSync(link);
  const before = await seen(desk);

  // The keys are in their place already.
  const target = join(desk.folder, 'new');
  mkdirSync(target);
  for (const key of ['master.key', 'journal.key'])
    writeFileSync(join(target, key), readFileSync(join(desk.data, key)), { mode: 0o600 });
  desk.env.TOOLWRIGHT_DATA_DIR = target;
  const restored = await desk.run(['restore', folder]);
  expect(restored).toMatchObject({ code: 0, err: '' });
  expect(restored.out).toMatch(/^Restored \d+ files and \d+ entries of the backup of 20\S+ to /);
  const after = (await seen(desk)) as { executions: readonly string[] };
  // The look at the first folder ran a program after the backup.
  const { executions, ...others } = before as { executions: readonly string[] };
  expect(after).toMatchObject(others);
  expect(after.executions).toEqual(expect.arrayContaining([executions.at(-1)]));

  await using tasks = taskRows({ database: openSqlite(join(target, 'state.db')), bus: memoryBus(), logger: console });
  expect(await tasks.read(task.id)).toEqual([{ entry: 'task', ...task }]);

  const again = await desk.run(['restore', folder]);
  expect([again.code, again.err]).toEqual([
    2,
    expect.stringContaining(`The data folder ${target} is not empty: it has `),
  ]);
  const twice = await desk.run(['backup', folder]);
  expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('is not empty. Name a new folder')]);
});

it('refuses a damaged backup, an incomplete one, a folder in use, and one inside of the data', async () => {
  const desk = await openUsedDesk();
  const inside = await desk.run(['backup', join(desk.data, 'copy')]);
  expect([inside.code, inside.err]).toEqual([2, expect.stringContaining('is in the data folder')]);
  const folder = join(desk.folder, 'tuesday');
  expect(await desk.run(['backup', folder, '--with-keys'])).toMatchObject({ code: 0, err: '' });
  expect(existsSync(join(folder, 'data/master.key'))).toBe(true);

  const { data } = desk;
  desk.env.TOOLWRIGHT_DATA_DIR = join(desk.folder, 'empty');
  appendFileSync(join(folder, 'data/sessions', SESSION, 'workspace/note.txt'), 'changed');
  const changed = await desk.run(['restore', folder]);
  expect([changed.code, changed.err]).toEqual([
    ...[2, expect.stringContaining(`1 files of ${folder} are missing, changed or new since the backup`)],
  ]);
  expect(existsSync(desk.env.TOOLWRIGHT_DATA_DIR)).toBe(false);
  rmSync(join(folder, 'backup.json'));
  const incomplete = await desk.run(['restore', folder]);
  expect([incomplete.code, incomplete.err]).toEqual([2, expect.stringContaining('is not a complete backup')]);

  desk.env.TOOLWRIGHT_DATA_DIR = data;
  await addOwner(data);
  const used = await desk.run(['backup', join(desk.folder, 'wednesday')]);
  expect([used.code, used.err]).toEqual([2, expect.stringContaining('1 process works in the data folder')]);
});

it.each([[['backup']], [['backup', 'a', 'b']], [['restore']], [['restore', 'a', 'b']]])('rejects %j', async (args) => {
  const { code, out } = await openDesk().run(args);
  expect([code, out]).toEqual([2, '']);
});

needsPostgres.describe('with PostgreSQL', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('copies the store out of one database and into another', async () => {
    const [url, other] = [await postgres.create(), await postgres.create()];
    const desk = await openUsedDesk({ TOOLWRIGHT_STORE: url });
    const folder = join(desk.folder, 'thursday');
    const before = JSON.parse((await desk.run(['executions', 'list', '--json'])).out).executions;
    expect(before).toHaveLength(1);
    const record = `'{"at": "2026-03-01T00:00:00.000Z", "user": "ada", "session": "s", "event": "restore"}'`;
    postgres.sql(url, `insert into toolwright.audit_records (user_id, session, record) values ('ada', 's', ${record})`);
    const lease = (value: string) =>
      postgres.sql(url, `update toolwright.executions set owner = id, expires_at = ${value}`);
    lease("clock_timestamp() + interval '1 minute'");
    const used = await desk.run(['backup', folder]);
    expect([used.code, used.err]).toEqual([2, expect.stringContaining('1 executions and tasks run in the cluster')]);
    lease('clock_timestamp()');
    expect(await desk.run(['backup', folder, '--with-keys'])).toMatchObject({ code: 0 });
    Object.assign(desk.env, { TOOLWRIGHT_STORE: other, TOOLWRIGHT_DATA_DIR: join(desk.folder, 'new') });
    expect(await desk.run(['restore', folder])).toMatchObject({ code: 0, err: '' });
    const own = [before[0].id];
    expect(await seen(desk)).toMatchObject({
      ...{ keys: [[expect.any(String), 'laptop']], executions: own, note: 'of [EMAIL_1]' },
    });
    const count = 'select count(*) from toolwright.audit_records';
    expect(Number(postgres.sql(other, `${count} where at = '2026-03-01T00:00:00Z'`))).toBe(1);
    expect(existsSync(join(desk.env.TOOLWRIGHT_DATA_DIR ?? '', 'sessions'))).toBe(false);
    const embedded = { TOOLWRIGHT_STORE: 'sqlite', TOOLWRIGHT_DATA_DIR: join(desk.folder, 'embedded') };
    Object.assign(desk.env, embedded);
    expect(await desk.run(['restore', folder])).toMatchObject({ code: 0, err: '' });
    expect(await seen(desk)).toMatchObject({ executions: own, note: 'of [EMAIL_1]' });
    expect(existsSync(join(desk.folder, 'embedded/audit/2026-03.cluster.jsonl'))).toBe(true);
    expect(existsSync(join(desk.folder, 'embedded/applied-changes.json'))).toBe(false);
    desk.env.TOOLWRIGHT_STORE = other;
    desk.env.TOOLWRIGHT_DATA_DIR = join(desk.folder, 'third');
    const full = await desk.run(['restore', folder]);
    expect([full.code, full.err]).toEqual([2, expect.stringContaining('The target store "postgres" is not empty.')]);
  });
});
