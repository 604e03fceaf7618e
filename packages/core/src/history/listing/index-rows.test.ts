import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, useDatabase } from '../../../../../test/fixtures/postgres.ts';
import type { Database } from '../../../../storage/src/database.ts';
import { openSqlite } from '../../../../storage/src/sqlite/database.ts';
import { type RowFilter, searchWords } from './execution-index.ts';
import { indexRows } from './index-rows.ts';
import { type IndexedRow, keyAt, rowKey, type StoredRow } from './row.ts';

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

/** The columns that one engine has. */
const OWN = { sqlite: { names: '', values: '' }, postgres: { names: ', day, fence', values: ', current_date, 1' } };

async function add(database: Database, rows: readonly IndexedRow[]): Promise<void> {
  const { names, values } = OWN[database.engine];
  for (const { id, key, userId, status } of rows)
    await database.write(
      `insert into toolwright.executions (id, user_id, started_ms, status, dry_run, changed_at${names})
        values ($1, $2, $3, $4, false, now()${values}) on conflict (id) do update set status = excluded.status`,
      [id, userId, Number(key.slice(0, 13)), status ?? null],
    );
}

function tests(open: () => Database) {
  const openIndex = () => {
    const database = open();
    const journals = { read: async function* () {}, ends: async () => undefined };
    return { database, index: indexRows({ database, journals }) };
  };

  it('selects by every condition, newest first', async () => {
    const { database, index } = openIndex();
    await database.write('delete from toolwright.executions');
    const rows = [
      row(1_000, { status: 'completed', sessionId: 's1', tokens: { code: 40, output: 60 }, totalMs: 5 }),
      row(2_000, { status: 'failed', error: { code: 'TOOL_FAILED' }, text: 'Grüße an bank__read' }),
      row(3_000, { tools: [{ tool: 'bank__pay', calls: 2, failed: 1 }], openQuestions: 1, text: 'say "hello"' }),
      row(4_000, { userId: 'bob', status: 'completed', totalMs: 900, isDryRun: true }),
    ];
    await add(database, rows);
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
  });

  it('replaces rows, counts changes, and forgets removed rows with their words', async () => {
    const { database, index } = openIndex();
    await database.write('delete from toolwright.executions');
    const first = await index.lastChange();
    const write = async (...rows: IndexedRow[]) => {
      await add(database, rows);
      await index.write(rows);
    };
    const id = randomUUID();
    await write(row(1_000, { id, text: 'alpha', tools: [{ tool: 'a__b', calls: 1, failed: 0 }] }), row(2_000));
    const both = await index.lastChange();
    expect((await index.changedAfter(first, 9)).map(({ key }) => key.slice(0, 13))).toEqual([
      keyAt(1_000),
      keyAt(2_000),
    ]);
    await write(row(1_000, { id, text: 'beta', status: 'completed' }));
    await write(row(1_000, { id, text: 'beta', status: 'completed' }));
    expect(await index.page({ words: ['alpha'] }, 9)).toEqual([]);
    expect(await index.page({ tools: ['a__b'] }, 9)).toEqual([]);
    expect(await index.page({ words: ['beta'] }, 9)).toMatchObject([
      { id, status: 'completed', change: expect.any(Number) },
    ]);
    expect((await index.changedAfter(both, 9)).map(({ id: changed }) => changed)).toEqual([id]);
    await database.write('delete from toolwright.executions where id = $1', [id]);
    expect([await index.page({ words: ['beta'] }, 9), await index.count({})]).toEqual([[], 1]);
  });

  it('shows no end before its row is written, so that followers get each end once and whole', async () => {
    const { database, index } = openIndex();
    await database.write('delete from toolwright.executions');
    const open = row(1_000);
    const ended = { ...open, status: 'completed' as const, endedAt: new Date(1_500).toISOString() };
    await add(database, [open]);
    await index.write([open]);
    const shown = async () => {
      const [{ status, isRunning = false, endedAt } = {} as StoredRow] = await index.changedAfter(-1, 9);
      return { status, isRunning, endedAt };
    };
    await add(database, [ended]);
    // The function that ends an execution does this, and in SQLite a trigger.
    if (database.engine === 'postgres')
      await database.write('insert into toolwright.unindexed_executions (id) values ($1)', [open.id]);
    expect(await shown()).toEqual({ status: undefined, isRunning: true, endedAt: undefined });
    await index.write([ended]);
    expect(await shown()).toEqual({ status: 'completed', isRunning: false, endedAt: ended.endedAt });
    await index.write([open]);
    await database.write('delete from toolwright.unindexed_executions');
    expect(await shown(), 'a journal that can no longer be read').toMatchObject({ status: 'completed' });
  });
}

describe('an index in SQLite', () => {
  const database = openSqlite(join(temporaryFolder(), 'state.db'));
  afterAll(() => database[Symbol.asyncDispose]());
  tests(() => database);
});

needsPostgres.describe('an index in PostgreSQL', () => {
  const server = useDatabase();
  tests(() => server.database);
});
