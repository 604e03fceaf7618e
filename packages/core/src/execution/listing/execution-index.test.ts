import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ExecutionIndex, type RowFilter, searchWords } from './execution-index.ts';
import { memoryIndex } from './memory.ts';
import { type IndexedRow, keyAt, rowKey } from './row.ts';
import { sqliteIndex } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolwright-index-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileOf = () => join(folder, `${randomUUID()}.db`);

function row(ms: number, more: Partial<IndexedRow> = {}): IndexedRow {
  const id = more.id ?? randomUUID();
  return {
    ...{ key: rowKey(ms, id), id, userId: 'ada', language: 'typescript', sandbox: 'quickjs' },
    ...{ startedAt: new Date(ms).toISOString(), preview: '', tools: [], toolCalls: 0, toolErrors: 0, openQuestions: 0 },
    ...{ callBytes: 0, text: '', toolNames: more.tools?.map(({ tool }) => tool) ?? [] },
    ...more,
  };
}

describe.each<[string, () => ExecutionIndex]>([
  ['memory', memoryIndex],
  ['sqlite', () => sqliteIndex(fileOf())],
])('an index in %s', (_name, open) => {
  it('selects by every condition, newest first', () => {
    const index = open();
    const rows = [
      row(1_000, { status: 'completed', sessionId: 's1', tokens: { code: 40, output: 60 }, totalMs: 5 }),
      row(2_000, { status: 'failed', error: { code: 'TOOL_FAILED' }, text: 'Grüße an bank__read' }),
      row(3_000, { tools: [{ tool: 'bank__pay', calls: 2, failed: 1 }], openQuestions: 1, text: 'say "hello"' }),
      row(4_000, { userId: 'bob', status: 'completed', totalMs: 900, isDryRun: true }),
    ];
    index.write(rows);
    const found = (filter: RowFilter) => index.page(filter, 10).map(({ startedAt }) => Date.parse(startedAt) / 1_000);
    const words = (text: string) => ({ words: searchWords(text) });
    for (const [filter, expected] of [
      [{}, [4, 3, 2, 1]],
      [{ userId: 'ada' }, [3, 2, 1]],
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
      expect([filter, found(filter), index.count(filter)]).toEqual([filter, expected, expected.length]);
    }
    expect(index.page({}, 2)).toHaveLength(2);
    index.close();
  });

  it('replaces rows, counts changes, and forgets removed rows with their words', () => {
    const index = open();
    const id = randomUUID();
    index.write([row(1_000, { id, text: 'alpha', tools: [{ tool: 'a__b', calls: 1, failed: 0 }] }), row(2_000)]);
    expect(index.lastChange()).toBe(2);
    index.write([row(1_000, { id, text: 'beta', status: 'completed' })]);
    index.write([row(1_000, { id, text: 'beta', status: 'completed' })]);
    expect(index.page({ words: ['alpha'] }, 9)).toEqual([]);
    expect(index.page({ tools: ['a__b'] }, 9)).toEqual([]);
    expect(index.page({ words: ['beta'] }, 9)).toMatchObject([{ id, status: 'completed', change: 3 }]);
    expect(index.changedAfter(1, 9).map(({ change }) => change)).toEqual([2, 3]);
    expect(index.known('', 9)).toHaveLength(2);
    index.remove([id, randomUUID()]);
    expect([index.page({ words: ['beta'] }, 9), index.count({}), index.lastChange()]).toEqual([[], 1, 3]);
    index.close();
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
