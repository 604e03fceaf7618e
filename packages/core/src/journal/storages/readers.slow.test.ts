import { randomUUID } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, useDatabase } from '../../../../../test/fixtures/postgres.ts';
import { fileReader } from './file.ts';
import { postgresLeases } from './postgres-leases.ts';
import { postgresReader } from './postgres-reader.ts';
import { type JournalReader, PAGE_LINES } from './storage.ts';

/** The reader of a place, and a function that begins a journal with a first line and returns one that adds lines. */
interface Journals {
  readonly reader: JournalReader;
  begin(id: string, first: string): Promise<(...lines: string[]) => Promise<void>>;
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

function tests(open: () => Journals) {
  const linesOf = async (id: string, after?: number) => {
    const lines: string[] = [];
    for await (const page of open().reader.read(id, after)) lines.push(...page);
    return lines;
  };

  it('returns lines unchanged and in order', async () => {
    const id = randomUUID();
    const add = await open().begin(id, 'first');
    const odd = [
      '{"a":"snow ☃ 𝄞 \\u0000 \\\\"}',
      'a\u2028b\u2029c\rd\u0085e',
      '',
      ' ',
      'it\'s "quoted" {,}',
      'x'.repeat(2 ** 20),
    ];
    await add(...odd);
    expect(await linesOf(id)).toEqual(['first', ...odd]);
    expect([await linesOf(id, 4), await linesOf(id, 7)]).toEqual([odd.slice(3), []]);
  });

  it('returns a long journal in pages', async () => {
    const id = randomUUID();
    const lines = Array.from({ length: PAGE_LINES * 2 }, (_, index) => `line ${index}`);
    await (await open().begin(id, 'first'))(...lines);
    const sizes: number[] = [];
    for await (const page of open().reader.read(id)) sizes.push(page.length);
    expect([sizes, await linesOf(id)]).toEqual([
      [PAGE_LINES, PAGE_LINES, 1],
      ['first', ...lines],
    ]);
  });

  it('returns the ends of a long journal', async () => {
    const { reader, begin } = open();
    const id = randomUUID();
    const sizes = { firstBytes: 4, lastBytes: 12 };
    expect(await reader.ends(id, sizes)).toBeUndefined();
    const add = await begin(id, 'first line');
    const before = await reader.ends(id, sizes);
    await add('x'.repeat(2 ** 20), 'b☃', 'last 1');
    // "last 1" and its line break have 7 bytes, "b☃" has 5.
    const ends = await reader.ends(id, sizes);
    expect([before?.last, ends?.last, ends?.first.slice(0, 4)]).toEqual([['first line'], ['b☃', 'last 1'], 'firs']);
    expect(ends?.changedMs).toBeGreaterThanOrEqual(before?.changedMs ?? Number.POSITIVE_INFINITY);
    for (const [lastBytes, last] of [
      [11, ['last 1']],
      [6, []],
      [2 ** 21, ['b☃', 'last 1']],
    ] as const)
      expect((await reader.ends(id, { firstBytes: 0, lastBytes }))?.last).toEqual(last);
    expect((await reader.ends(id, { firstBytes: 100, lastBytes: 0 }))?.first).toBe('first line');
    await add('y'.repeat(100));
    expect((await reader.ends(id, sizes))?.last).toEqual([]);
  });

  it('has no journal of a name that is not an id', async () => {
    const { reader } = open();
    const sizes = { firstBytes: 9, lastBytes: 9 };
    for (const name of ['', '../a', 'a'.repeat(36)])
      expect([await linesOf(name), await reader.ends(name, sizes)]).toEqual([[], undefined]);
  });
}

describe('journals in files', () => {
  const folder = temporaryFolder();
  tests(() => ({
    reader: fileReader(folder),
    async begin(id, first) {
      const path = join(folder, `${id}.jsonl`);
      await writeFile(path, textOf([first]));
      return (...lines) => appendFile(path, textOf(lines));
    },
  }));

  it('has no line without its end', async () => {
    const id = randomUUID();
    await writeFile(join(folder, `${id}.jsonl`), 'whole\ncut');
    const pages: (readonly string[])[] = [];
    for await (const page of fileReader(folder).read(id)) pages.push(page);
    const ends = await fileReader(folder).ends(id, { firstBytes: 99, lastBytes: 99 });
    expect([pages, ends?.last]).toEqual([[['whole']], ['whole']]);
  });
});

needsPostgres.describe('journals in PostgreSQL', () => {
  const server = useDatabase();
  tests(() => ({
    reader: postgresReader(server.database),
    async begin(id, first) {
      const leases = postgresLeases({ database: server.database, ttlMs: 60_000 });
      const journal = leases.start({ id, userId: 'ada', isDryRun: false });
      const add = async (...lines: string[]) => {
        journal.append(Buffer.from(textOf(lines)));
        await journal.flushed();
      };
      await add(first);
      return add;
    },
  }));
});
