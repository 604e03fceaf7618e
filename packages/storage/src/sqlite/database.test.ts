import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { migrationsOf, migrationText } from '../migrations/migrations.ts';
import { copySqlite, openSqlite } from './database.ts';
import { sqliteStatement } from './dialect.ts';
import { openDriver } from './sqlite-driver.ts';
import { requireLocal } from './steps.ts';

const ADD = `insert into toolwright.task_lines (task, number, line)
  select $1, n.position, n.line from unnest($2::text[]) with ordinality as n (line, position)`;
const LINES = 'select line from toolwright.task_lines where task = any($1::uuid[]) order by task, number';

/** Creates a database with one task of two lines. */
async function usedFile(): Promise<string> {
  const path = join(temporaryFolder(), 'state.db');
  await using database = openSqlite(path);
  await database.write(ADD, ['a', ['one', 'twö\u2028']]);
  return path;
}

describe('the tables of a data folder', () => {
  it('run statements of PostgreSQL, one transaction at a time', async () => {
    const path = await usedFile();
    await using one = openSqlite(path);
    await using other = openSqlite(path);
    const failing = one.transaction(async (query) => {
      await query(ADD, ['b', ['lost']]);
      throw new Error('no');
    });
    const added = other.write(ADD, ['c', ['three']]);
    await expect(failing).rejects.toThrow('no');
    await added;
    const rows = await one.read(LINES, [['a', 'b', 'c']]);
    expect(rows.map(({ line }) => line)).toEqual(['one', 'twö\u2028', 'three']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await one[Symbol.asyncDispose]();
    expect((await failureOf(one.read(LINES, [['a']]))).code).toBe('CLOSED');
  });

  it('create no file when nobody has used them', async () => {
    const folder = temporaryFolder();
    await openSqlite(join(folder, 'state.db'))[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('take bytes that are the only value of a statement', async () => {
    await using database = openSqlite(await usedFile());
    const [row] = await database.read('select $1::bytea as bytes', [Buffer.from('ada')]);
    expect(row?.bytes).toEqual(Buffer.from('ada'));
  });

  it('wait for the disk after a statement that asks for it', async () => {
    await using database = openSqlite(await usedFile());
    const mode = 'select synchronous from pragma_synchronous';
    const flushed = await database.write(mode, [], { isFlushed: true });
    expect([flushed, await database.read(mode)]).toEqual([[{ synchronous: 2 }], [{ synchronous: 1 }]]);
  });

  it('have one clock on a machine, which nobody sets, and one of people', async () => {
    const path = await usedFile();
    await using database = openSqlite(path);
    const read = async () => (await database.read('select clock_timestamp() as own, now() as wall'))[0];
    const before = await read();
    const real = Date.now;
    Date.now = () => real() + 3_600_000;
    try {
      const after = await read();
      expect(Number(after?.wall) - Number(before?.wall)).toBeGreaterThanOrEqual(3_600_000);
      expect(Number(after?.own) - Number(before?.own)).toBeLessThan(3_600_000);
    } finally {
      Date.now = real;
    }
  });

  it('are copied while they are in use', async () => {
    const path = await usedFile();
    await using source = openSqlite(path);
    await source.write(ADD, ['b', ['new']]);
    const target = `${path}'s copy`;
    await copySqlite(path, target);
    await using copy = openSqlite(target);
    expect(await copy.read(LINES, [['a', 'b']])).toHaveLength(3);
  });
});

describe('a database that cannot be used is refused, and its file stays as it is', () => {
  const damaged: Readonly<Record<string, [(path: string) => void, RegExp]>> = {
    empty: [(path) => writeFileSync(path, ''), /is empty, or belongs to another program\. Restore it/],
    'of another program': [
      (path) => {
        rmSync(path);
        const driver = openDriver(path);
        driver.exec('create table notes (text)');
        driver.close();
      },
      /is empty, or belongs to another program\. Restore it/,
    ],
    'of a newer version': [
      (path) => {
        const driver = openDriver(path);
        driver.exec('PRAGMA user_version = 99');
        driver.close();
      },
      /has 99 migrations, and this version of Toolwright knows \d+\. A newer version wrote it: upgrade Toolwright/,
    ],
    'no database': [(path) => writeFileSync(path, 'x'.repeat(8_192)), /not a database\. Restore .* from a backup/],
    truncated: [(path) => truncateSync(path, 8_192), /malformed.*Restore .* from a backup/],
  };
  it.each(Object.entries(damaged))('%s', async (_name, [damage, message]) => {
    const path = await usedFile();
    damage(path);
    const before = readFileSync(path);
    await using database = openSqlite(path);
    const failure = await failureOf(
      (async () => {
        await database.read(LINES, [['a']]);
        await database.write(ADD, ['b', ['x']]);
      })(),
    );
    expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(message) });
    expect(readFileSync(path).subarray(0, 4_096).equals(before.subarray(0, 4_096)) || before.length === 8_192).toBe(
      true,
    );
  });

  it('locked by another process', async () => {
    const path = await usedFile();
    await using database = openSqlite(path, { waitMs: 50 });
    const other = openDriver(path);
    other.exec('BEGIN IMMEDIATE');
    const failure = await failureOf(database.write(ADD, ['b', ['x']]));
    expect(failure).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `The SQLite store was locked for 50 ms. End the other process that writes to ${path}.`,
    });
    other.exec('ROLLBACK');
    await database.write(ADD, ['b', ['x']]);
    other.close();
  });

  it('on a network file system', () => {
    const refuse = (type: number) => () => requireLocal('/data', () => type);
    expect(refuse(0x6969)).toThrow(/\/data of the SQLite store is on a network file system \(NFS\).* Set dataDir/);
    expect(refuse(0xfe534d42)).toThrow(/\(SMB\)/);
    expect(refuse(0xef53)).not.toThrow();
  });
});

describe('an upgrade', () => {
  const own = migrationsOf('sqlite');
  /** Runs statements on a file, as another version does. */
  const change = (path: string, ...statements: readonly string[]) => {
    const driver = openDriver(path);
    for (const statement of statements) driver.exec(statement);
    driver.close();
  };
  /** Makes a file that of the first version, which had tasks alone. */
  const makeFormer = (path: string) => {
    const later = [
      'execution_rows',
      'execution_tools',
      'execution_words',
      'execution_changes',
      'unindexed_executions',
      'processes',
      'work',
      'work_users',
      'leaders',
    ];
    const tables = [...later, 'executions', 'decisions', 'session_log', 'sessions'];
    const drops = `BEGIN; DROP VIEW index_executions; ${tables.map((name) => `DROP TABLE ${name};`).join('')}`;
    change(path, drops, 'PRAGMA user_version = 1; COMMIT');
  };

  test('that was interrupted is repeated as a whole', async () => {
    const path = await usedFile();
    makeFormer(path);
    // The process dies before the end of the transaction.
    change(path, 'BEGIN IMMEDIATE', migrationText(own, own.names[1] ?? ''));
    await using database = openSqlite(path);
    expect(await database.read(LINES, [['a']])).toHaveLength(2);
    expect(await database.read('select call from toolwright.decisions')).toEqual([]);
  });

  test('keeps a copy, which the former version uses again', async () => {
    const path = await usedFile();
    makeFormer(path);
    await using database = openSqlite(path);
    await database.write(ADD, ['b', ['newer']]);
    const kept = readdirSync(dirname(path)).filter((name) => /^state\.db\.imported-\d+$/.test(name));
    expect(kept).toHaveLength(1);
    const copy = join(dirname(path), kept[0] ?? '');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const driver = openDriver(copy);
    const tables = driver.prepare("select name from sqlite_master where name in ('tasks', 'sessions')").all();
    const lines = driver.prepare('select line from task_lines order by number').all();
    driver.close();
    expect([tables, lines].map((rows) => rows.map((row) => Object.values(Object(row))[0]))).toEqual([
      ['tasks'],
      ['one', 'twö\u2028'],
    ]);
    expect(readdirSync(dirname(await usedFile()))).not.toContainEqual(expect.stringContaining('imported'));
  });

  test('by a newer version is no reason to refuse tables that this one can use', async () => {
    const path = await usedFile();
    const newer = own.names.length + 1;
    const add = `create table newer (id text); PRAGMA user_version = ${own.names.length * 0x10000 + newer}`;
    change(path, add);
    await using database = openSqlite(path);
    expect(await database.read(LINES, [['a']])).toHaveLength(2);
    await database[Symbol.asyncDispose]();
    change(path, `PRAGMA user_version = ${newer * 0x10000 + newer}`);
    await using refused = openSqlite(path);
    expect((await failureOf(refused.read(LINES, [['a']]))).message).toMatch(
      `has ${newer} migrations, and this version of Toolwright knows ${own.names.length}.`,
    );
  });
});

test.each([
  [
    'select id::text from toolwright.t where x = any($2::uuid[]) and y = $1',
    'select id from t where x in (select value from json_each(?2)) and y = ?1',
  ],
  [
    'id <> all($2::uuid[]) and extract(epoch from e.x) > $1',
    'id not in (select value from json_each(?2)) and (e.x / 1000.0) > ?1',
  ],
  [
    'least($1::float8, extract(epoch from clock_timestamp() - max(t.x)) * 1000)',
    'min(?1, ((?2 - max(t.x)) / 1000.0) * 1000)',
  ],
  ["expires = clock_timestamp() + $1 * interval '1 millisecond'", 'expires = ?2 + ?1'],
  ['select id from a, b for update of a skip locked', 'select id from a, b'],
  ["x < now() - $1 * interval '1 day' for update skip locked", 'x < ?3 - ?1 * 86400000'],
  ['to_timestamp($1::float8 / 1000), extract(epoch from x) * 1000', '((?1 / 1000) * 1000.0), (x / 1000.0) * 1000'],
])('%s is a statement of SQLite', (postgres, sqlite) => {
  expect(sqliteStatement(postgres).sql).toBe(sqlite);
});
