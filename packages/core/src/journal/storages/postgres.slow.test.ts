import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { needsPostgres, textOf, useDatabase } from '../../../../../test/fixtures/postgres.ts';
import { journalStorageCases, runJournalStorageCase } from '../../../../../test/suites/journal-storages.ts';
import { openPostgres, type Postgres } from '../../stores/postgres/connection.ts';
import { beginJournal, resumeJournal } from '../journal.ts';
import { readRecording } from '../recording/read-recording.ts';
import { postgresJournals } from './postgres.ts';
import type { JournalStorage } from './storage.ts';

const SHORT_MS = 400;
const LONG_MS = 60_000;

needsPostgres.describe('postgres', () => {
  const server = useDatabase();

  const open = (ttlMs = LONG_MS) => postgresJournals({ database: server.database, ttlMs });
  const linesOf = async (storage: JournalStorage, id: string) => {
    const lines: string[] = [];
    for await (const page of storage.read(id)) lines.push(...page);
    return lines;
  };

  it.for(journalStorageCases)('$name', (testCase) => {
    // A lease that this test must have at its first steps can expire on a busy machine.
    const ttlMs = /expired/.test(testCase.name) ? SHORT_MS * 5 : LONG_MS;
    const expire = () => sleep(/expired/.test(testCase.name) ? SHORT_MS * 6 : 0);
    return runJournalStorageCase({ one: open(ttlMs), other: open(), expire }, testCase);
  });

  it('commits an answer and the next call at once', async () => {
    const statements: string[] = [];
    const counted: Postgres = {
      ...server.database,
      write(sql, values) {
        if (textOf(sql).includes('_lines(')) statements.push(textOf(sql));
        return server.database.write(sql, values);
      },
    };
    await using storage = postgresJournals({ database: counted });
    const journal = await storage.acquire(randomUUID());
    journal?.append(Buffer.from('call 1\n'));
    await journal?.flushed();
    for (let number = 1; number <= 20; number++) {
      journal?.append(Buffer.from(`answer ${number}\n`));
      journal?.append(Buffer.from(`call ${number + 1}\n`));
      await journal?.flushed();
    }
    expect(statements).toHaveLength(21);
  });

  it('keeps its executions while the event loop is busy for longer than their time to live', async () => {
    const ttlMs = 3_000;
    await using storage = postgresJournals({ database: server.database, ttlMs, everyMs: 500 });
    await using other = open();
    const id = randomUUID();
    const journal = await storage.acquire(id);
    // Nothing of this thread runs meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ttlMs);
    expect(await other.acquire(id)).toBeUndefined();
    journal?.append(Buffer.from('kept\n'));
    await journal?.flushed();
    expect(await linesOf(storage, id)).toEqual(['kept']);
  });

  it('waits for a database that restarts, and writes each line once', async () => {
    await using storage = open();
    const id = randomUUID();
    const journal = await storage.acquire(id);
    for (let number = 0; number < 60; number++) {
      journal?.append(Buffer.from(`${number}\n`));
      if (number === 20) {
        await journal?.flushed();
        await server.postgres.kill();
        const flushed = journal?.flushed();
        await server.postgres.restart();
        await flushed;
      } else if (number % 3 === 0) await journal?.flushed();
    }
    await journal?.flushed();
    expect(await linesOf(storage, id)).toEqual(Array.from({ length: 60 }, (_, number) => String(number)));
  });

  it('keeps acknowledged lines once, and no refused one, while owners take over from each other in the middle of commits', async () => {
    const id = randomUUID();
    const [acknowledged, refused]: [string[], string[]] = [[], []];
    const until = performance.now() + 1_500;
    let takeOvers = 0;
    const work = async (name: string) => {
      // The lease expires at once: the others take over in the middle of the work.
      await using storage = open(1);
      while (performance.now() < until) {
        const journal = await storage.acquire(id);
        if (!journal) continue;
        takeOvers++;
        for (let number = 0; number < 20; number++) {
          const lines = [`${name} ${takeOvers} ${number} a`, `${name} ${takeOvers} ${number} b`];
          journal.append(Buffer.from(lines.map((line) => `${line}\n`).join('')));
          const isSafe = await journal.flushed().then(
            () => true,
            ({ code }) => code !== 'OWNERSHIP_LOST',
          );
          (isSafe ? acknowledged : refused).push(...lines);
          if (!isSafe) break;
        }
      }
    };
    await Promise.all(['one', 'two', 'three'].map(work));
    const lines = await linesOf(open(), id);
    expect([...lines].sort()).toEqual(acknowledged.sort());
    expect(lines.filter((line) => refused.includes(line))).toEqual([]);
    expect([takeOvers > 3, refused.length > 0]).toEqual([true, true]);
  });

  it('creates the partition of a new day once, when all processes need it at the same moment', async () => {
    await using other = openPostgres({ url: await server.postgres.create() });
    for (let day = 10; day < 40; day++) {
      const wanted = new Date(Date.UTC(2030, 0, day)).toISOString().slice(0, 10);
      await Promise.all(
        Array.from({ length: 8 }, () => other.write('select toolwright.create_partition($1)', [wanted])),
      );
    }
    const [row] = await other.read(
      `select count(*)::int as n from pg_inherits where inhparent = 'toolwright.journal_lines'::regclass`,
    );
    expect(row?.n).toBe(30);
  });

  it('puts executions into the partition of their day, and drops old days except those with a living lease', async () => {
    const own = await server.postgres.create();
    await using other = openPostgres({ url: own });
    await using storage = postgresJournals({ database: other });
    const [old, living, today] = [randomUUID(), randomUUID(), randomUUID()];
    const add = async (id: string, day?: string) => {
      const journal = await storage.acquire(id);
      if (day !== undefined) {
        server.postgres.sql(own, `select toolwright.create_partition('${day}')`);
        server.postgres.sql(
          own,
          `update toolwright.executions set day = '${day}', changed_at = '${day}' where id = '${id}'`,
        );
        await journal?.release();
      }
      const again = day === undefined ? journal : await storage.acquire(id);
      again?.append(Buffer.from(`${id}\n`));
      await again?.flushed();
      return again;
    };
    await (await add(old, '2020-01-01'))?.release();
    await add(living, '2020-01-02');
    await add(today);
    const partitions = () =>
      server.postgres.sql(
        own,
        `select count(*) from pg_inherits where inhparent = 'toolwright.journal_lines'::regclass`,
      );
    expect(partitions()).toBe('3');
    expect(server.postgres.sql(own, `select toolwright.purge_executions(clock_timestamp() - interval '30 days')`)).toBe(
      '1',
    );
    expect(await Promise.all([old, living, today].map((id) => linesOf(storage, id)))).toEqual([[], [living], [today]]);
    expect(partitions()).toBe('2');
  });

  it('has the journal of an execution that another process continues', async () => {
    const [one, other] = [open(), open()];
    const id = randomUUID();
    const key = Buffer.alloc(32, 7);
    const options = { key, maxBytes: 100_000 };
    const start = {
      id,
      language: 'typescript',
      sandbox: 'none',
      host: { name: 'here', pid: 1 },
      source: 'return "ü\n"',
      catalogHash: 'h',
      seed: 1,
      epochMs: 2,
    };
    const sink = await one.acquire(id);
    if (!sink) throw new Error('not acquired');
    const journal = beginJournal({ sink, path: id }, start, options);
    journal.receive(1, '["call","a__b",{}]', false);
    journal.begin({ number: 1, request: 1, tool: 'a__b', arguments: '{"text":"snow ☃"}' });
    await journal.flushed();
    journal.end({ number: 1, request: 1, ok: true, result: '{"text":"𝄞"}' });
    await journal.flushed();
    // The process ends without a word; the lease of its executions is released here, and expires there.
    await one[Symbol.asyncDispose]();
    const read = () => readRecording(other, id, key);
    const recording = await read();
    expect(recording.calls.get(1)).toMatchObject({ tool: 'a__b', answer: { ok: true, text: '{"text":"𝄞"}' } });
    const next = await other.acquire(id);
    if (!next) throw new Error('not acquired');
    const continued = resumeJournal({ sink: next, path: id }, recording, { host: { name: 'there', pid: 2 } }, options);
    continued.close('completed');
    await continued.flushed();
    expect(await read()).toMatchObject({ resumes: 1, end: { status: 'completed' } });
    expect(() => journal.begin({ number: 2, tool: 'a__b', arguments: '{}' })).not.toThrow();
    await expect(journal.flushed()).rejects.toMatchObject({ code: 'OWNERSHIP_LOST' });
    await other[Symbol.asyncDispose]();
  });
});
