import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { memoryBus } from '../../stores/buses/memory.ts';
import { openPostgres, type Postgres } from '../../stores/postgres/connection.ts';
import { type ExecutionIndex, type RowFilter, searchWords } from './execution-index.ts';
import { postgresIndex } from './postgres.ts';
import { type IndexedRow, keyAt, rowKey } from './row.ts';
import { sqliteIndex } from './sqlite.ts';
import { watchChanges } from './watch-changes.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-index-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileOf = () => join(folder, `${randomUUID()}.db`);

function row(ms: number, more: Partial<IndexedRow> = {}): IndexedRow {
  const id = more.id ?? randomUUID();
  return {
    key: rowKey(ms, id),
    id,
    userId: 'ada',
    language: 'typescript',
    sandbox: 'quickjs',
    startedAt: new Date(ms).toISOString(),
    preview: '',
    tools: [],
    toolCalls: 0,
    toolErrors: 0,
    openQuestions: 0,
    callBytes: 0,
    text: '',
    toolNames: more.tools?.map(({ tool }) => tool) ?? [],
    ...more,
  };
}

type Opened = {
  readonly index: Pick<ExecutionIndex, 'write' | 'remove' | 'page' | 'count' | 'changedAfter' | 'lastChange' | 'close'>;
  /** Makes executions exist. */
  readonly prepare?: (rows: readonly IndexedRow[]) => void;
};

function tests(open: () => Promise<Opened>) {
  it('selects by every condition, newest first', async () => {
    const { index, prepare } = await open();
    const rows = [
      row(1_000, { status: 'completed', sessionId: 's1', tokens: { code: 40, output: 60 }, totalMs: 5 }),
      row(2_000, { status: 'failed', error: { code: 'TOOL_FAILED' }, text: 'Grüße an bank__read' }),
      row(3_000, { tools: [{ tool: 'bank__pay', calls: 2, failed: 1 }], openQuestions: 1, text: 'say "hello"' }),
      row(4_000, { userId: 'bob', status: 'completed', totalMs: 900, isDryRun: true }),
    ];
    prepare?.(rows);
    await index.write(rows);
    const found = async (filter: RowFilter) =>
      (await index.page(filter, 10)).map(({ startedAt }) => Date.parse(startedAt) / 1_000);
    const words = (text: string) => ({ words: searchWords(text) });
    for (const [filter, expected] of [
      [{}, [4, 3, 2, 1]],
      [{ userId: 'ada' }, [3, 2, 1]],
      [{ id: rows[1]?.id }, [2]],
      [{ id: rows[1]?.id, userId: 'bob' }, []],
      [{ id: randomUUID() }, []],
      [{ sessionId: 's1' }, [1]],
      [{ statuses: ['completed'] }, [4, 1]],
      [{ statuses: ['open', 'failed'] }, [3, 2]],
      [{ tools: ['bank__pay'] }, [3]],
      [{ tools: ['bank__none', 'bank__pay'] }, [3]],
      [{ tools: ['bank__none'] }, []],
      [{ error: 'TOOL_FAILED' }, [2]],
      [{ minTokens: 100 }, [1]],
      [{ minTokens: 101 }, []],
      [{ minMs: 6 }, [4]],
      [{ hasQuestions: true }, [3]],
      [{ isDryRun: true }, [4]],
      [{ from: keyAt(2_000), before: keyAt(4_000) }, [3, 2]],
      [words('Gruße'), [2]],
      [words('GRÜ bank__re'), [2]],
      [words('"hel*'), [3]],
      [words('hello AND nothing'), []],
      [{ userId: 'ada', ...words('ello') }, []],
    ] as [RowFilter, number[]][]) {
      expect([filter, await found(filter), await index.count(filter)]).toEqual([filter, expected, expected.length]);
    }
    expect(await index.page({}, 2)).toHaveLength(2);
    index.close();
  });

  it('replaces rows, counts changes, and forgets removed rows with their words', async () => {
    const { index, prepare } = await open();
    const write = async (...rows: IndexedRow[]) => {
      prepare?.(rows);
      await index.write(rows);
    };
    const id = randomUUID();
    await write(row(1_000, { id, text: 'alpha', tools: [{ tool: 'a__b', calls: 1, failed: 0 }] }), row(2_000));
    expect(await index.lastChange()).toBe(2);
    await write(row(1_000, { id, text: 'beta', status: 'completed' }));
    await write(row(1_000, { id, text: 'beta', status: 'completed' }));
    expect(await index.page({ words: ['alpha'] }, 9)).toEqual([]);
    expect(await index.page({ tools: ['a__b'] }, 9)).toEqual([]);
    expect(await index.page({ words: ['beta'] }, 9)).toMatchObject([
      { id, status: 'completed', change: expect.any(Number) },
    ]);
    expect((await index.changedAfter(1, 9)).map(({ change }) => change)).toHaveLength(2);
    await index.remove([id, randomUUID()]);
    expect([await index.page({ words: ['beta'] }, 9), await index.count({})]).toEqual([[], 1]);
    index.close();
  });
}

describe('an index in memory', () => tests(async () => ({ index: sqliteIndex(':memory:') })));
describe('an index in a file', () => tests(async () => ({ index: sqliteIndex(fileOf()) })));

needsPostgres.describe('an index in PostgreSQL', () => {
  let postgres: TestPostgres;
  const databases: Postgres[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
    await postgres?.stop();
  });
  tests(async () => {
    const url = await postgres.create();
    const database = openPostgres({ url });
    databases.push(database);
    await database.read('select 1');
    const changes = watchChanges({ database, bus: memoryBus() });
    const journals = { read: async function* () {}, ends: async () => undefined };
    const insert = ({ id, key, userId, status }: IndexedRow) =>
      `insert into toolwright.executions (id, day, fence, user_id, started_ms, status)
        values ('${id}', current_date, 1, '${userId}', ${Number(key.slice(0, 13))}, ${status ? `'${status}'` : 'null'})
        on conflict (id) do update set status = excluded.status`;
    return {
      index: postgresIndex({ database, journals, changes }),
      prepare: (rows) => void postgres.sql(url, rows.map(insert).join(';')),
    };
  });
});

describe('the file of an index', () => {
  it('is shared by processes, keeps its rows, and is thrown away when it is damaged', () => {
    const path = fileOf();
    const [one, other] = [sqliteIndex(path), sqliteIndex(path)];
    other.hasForeignChanges();
    one.write([row(1_000)]);
    expect([other.hasForeignChanges(), other.hasForeignChanges(), other.count({})]).toEqual([true, false, 1]);
    one.close();
    other.close();
    const again = sqliteIndex(path);
    expect(again.count({})).toBe(1);
    again.close();
    for (const end of ['', '-wal']) writeFileSync(path + end, 'x'.repeat(10_000));
    const fresh = sqliteIndex(path);
    expect(fresh.count({})).toBe(0);
    fresh.close();
  });
});
