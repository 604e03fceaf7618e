import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { addOwner } from '../fixtures/execution-rows.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';

needsPostgres.describe('migrate', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it('moves the keys of a data folder to PostgreSQL, where they are valid', async () => {
    const { env, run, folder } = openDesk();
    const url = await postgres.create();
    const { out } = await run(['keys', 'create', '--user', 'ada', '--name', 'laptop', '--json']);
    const { id } = JSON.parse(out);
    const migrated = await run(['migrate', '--to', url]);
    expect(migrated).toMatchObject({ code: 0, err: expect.stringContaining('copy master.key and journal.key') });
    expect(migrated.out).toMatch(/^Copied 1 entries \(\d+ bytes\) of 1 namespaces from sqlite to postgres\.\n$/);
    expect(migrated.out + migrated.err).not.toContain(url);

    const again = await run(['migrate', '--to', url]);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('The target store "postgres" is not empty.')]);
    const data = join(folder, 'state/toolwright');
    const repeated = await run(['migrate', '--from', data, '--to', url, '--overwrite', '--json']);
    expect(JSON.parse(repeated.out)).toMatchObject({ namespaces: 1, entries: 1 });

    env.TOOLWRIGHT_STORE = url;
    const [key] = JSON.parse((await run(['keys', 'list', '--json'])).out).keys;
    expect(key).toMatchObject({ id, user: 'ada', name: 'laptop' });
    expect(await run(['keys', 'revoke', id])).toMatchObject({ code: 0 });
    expect((await run(['migrate', '--to', url])).err).toContain('The source and the target are the same store.');
  });

  it('moves sessions with their files and logs, and skills with their versions', async () => {
    const { env, run, folder } = openDesk();
    const url = await postgres.create();
    await run(['keys', 'create', '--user', 'ada']);
    const session = ['--session', 'moved', '--sandbox', 'quickjs', '--json'];
    const program = (code: string) => run(['run', '-e', code, ...session]);
    const skill = '// Adds.\nexport default ({ a, b }) => a + b';
    await program(`await fs.writeFile('/skills/add_up.js', ${JSON.stringify(skill)}); return 1`);
    await program(
      `await fs.mkdir('/workspace/sub'); await fs.writeFile('/workspace/sub/a', 'x'); return 'l'.repeat(40000)`,
    );
    const migrated = await run(['migrate', '--to', url, '--json']);
    expect(JSON.parse(migrated.out)).toMatchObject({
      executions: 2,
      tasks: 0,
      sessions: 1,
      folders: 2,
      auditRecords: 0,
    });
    const lease = (value: string) =>
      postgres.sql(url, `update toolwright.executions set owner = id, expires_at = ${value}`);
    lease("clock_timestamp() + interval '1 minute'");
    const used = await run(['migrate', '--to', url, '--overwrite']);
    expect([used.code, used.err]).toEqual([2, expect.stringContaining('2 executions and tasks run in the cluster')]);
    lease('clock_timestamp()');
    const repeated = JSON.parse((await run(['migrate', '--to', url, '--overwrite', '--json'])).out);
    expect(repeated.tables).toEqual(JSON.parse(migrated.out).tables);
    expect(repeated.tables).toMatchObject({ executions: { rows: 2 }, sessions: { rows: 1 }, session_log: { rows: 2 } });
    env.TOOLWRIGHT_STORE = url;
    env.TOOLWRIGHT_DATA_DIR = join(folder, 'elsewhere');
    mkdirSync(env.TOOLWRIGHT_DATA_DIR);
    for (const key of ['master.key', 'journal.key'])
      copyFileSync(join(folder, 'state/toolwright', key), join(env.TOOLWRIGHT_DATA_DIR, key));
    const shown = JSON.parse((await run(['sessions', 'resume', 'moved', '--json'])).out);
    expect(shown.files.map(({ name }: { name: string }) => name)).toEqual([
      expect.stringContaining('results/'),
      'sub/a',
    ]);
    expect(shown.log).toContain('The last 2 executions.');
    const again = await program(
      `return [await fs.readFile('/workspace/sub/a', 'utf8'), await run_skill('add-up', { a: 1, b: 2 })]`,
    );
    expect(JSON.parse(again.out)).toMatchObject({ value: ['x', 3] });
    const { executions } = JSON.parse((await run(['executions', 'list', '--json'])).out);
    expect(executions.map(({ status }: { status: string }) => status)).toEqual(['completed', 'completed', 'completed']);
    expect(executions[1].id).not.toBe(executions[2].id);
  });

  it('refuses a data folder in use, and one without a store', async () => {
    const { run, folder } = openDesk();
    const url = await postgres.create();
    const none = await run(['migrate', '--from', folder, '--to', url]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining(`There is no store in ${folder}`)]);
    await run(['keys', 'create', '--user', 'ada']);
    await addOwner(join(folder, 'state/toolwright'));
    const used = await run(['migrate', '--to', url]);
    expect([used.code, used.err]).toEqual([2, expect.stringContaining('1 process works in the data folder')]);
  });
});

it.each([
  [['migrate']],
  [['migrate', '--to', 'sqlite']],
  [['migrate', '--to', 'postgres://127.0.0.1:1/a', '--from', 'a', '--from', 'b']],
  [['migrate', 'all', '--to', 'postgres://127.0.0.1:1/a']],
])('rejects the incorrect use %j', async (args) => {
  const { code, out } = await openDesk().run(args);
  expect([code, out]).toEqual([2, '']);
});
