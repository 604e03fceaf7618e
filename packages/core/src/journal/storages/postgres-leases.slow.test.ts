import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { needsPostgres, startPostgres, textOf, useDatabase } from '../../../../../test/fixtures/postgres.ts';
import { until } from '../../../../../test/fixtures/server.ts';
import { readRequest } from '../../../../sandbox/src/bridge/protocol.ts';
import { openPostgres, type Postgres } from '../../../../storage/src/postgres/connection.ts';
import { beginJournal, resumeJournal } from '../journal.ts';
import { readRecording } from '../recording/read-recording.ts';
import { postgresLeases } from './postgres-leases.ts';
import { postgresReader } from './postgres-reader.ts';
import type { JournalSink } from './storage.ts';

const LONG_MS = 60_000;

needsPostgres.describe('postgres', () => {
  const server = useDatabase(startPostgres);

  const open = (ttlMs = LONG_MS) => postgresLeases({ database: server.database, ttlMs });
  const newRow = () => ({ id: randomUUID(), userId: 'ada', isDryRun: false });
  const add = async (journal: JournalSink | undefined, ...lines: string[]) => {
    journal?.append(Buffer.from(lines.map((line) => `${line}\n`).join('')));
    await journal?.flushed();
  };
  const linesOf = async (id: string, database = server.database) => {
    const lines: string[] = [];
    for await (const page of postgresReader(database).read(id)) lines.push(...page);
    return lines;
  };

  it('makes lines safe that were added while earlier ones were flushed', async () => {
    await using leases = open();
    const row = newRow();
    const journal = leases.start(row);
    const lines = Array.from({ length: 50 }, (_, number) => String(number));
    const flushes: Promise<void>[] = [];
    for (const [number, line] of lines.entries()) {
      flushes.push(add(journal, line));
      if (number % 10 === 0) await flushes[number];
    }
    await Promise.all(flushes);
    expect(await linesOf(row.id)).toEqual(lines);
  });

  it('flushes lines a moment later by itself', async () => {
    await using leases = open();
    const row = newRow();
    leases.start(row).append(Buffer.from('answer\n'));
    await until(async () => (await linesOf(row.id)).length > 0, 20_000);
    expect(await linesOf(row.id)).toEqual(['answer']);
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
    await using leases = postgresLeases({ database: counted });
    const journal = leases.start(newRow());
    await add(journal, 'call 1');
    for (let number = 1; number <= 20; number++) {
      journal.append(Buffer.from(`answer ${number}\n`));
      await add(journal, `call ${number + 1}`);
    }
    expect(statements).toHaveLength(20);
  });

  it('keeps its executions while the event loop is busy for longer than their time to live', async () => {
    const ttlMs = 3_000;
    await using leases = postgresLeases({ database: server.database, ttlMs, everyMs: 500 });
    await using other = open();
    const row = newRow();
    const journal = leases.start(row);
    await add(journal, 'first');
    // Nothing of this thread runs meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ttlMs);
    expect(await other.acquire(row.id)).toBeUndefined();
    await add(journal, 'kept');
    expect(await linesOf(row.id)).toEqual(['first', 'kept']);
  });

  it('waits for a database that restarts, and writes each line once', async () => {
    await using leases = open();
    const row = newRow();
    const journal = leases.start(row);
    for (let number = 0; number < 60; number++) {
      journal.append(Buffer.from(`${number}\n`));
      if (number === 20) {
        await journal.flushed();
        await server.postgres.kill();
        const flushed = journal.flushed();
        await server.postgres.restart();
        await flushed;
      } else if (number % 3 === 0) await journal.flushed();
    }
    await journal.flushed();
    expect(await linesOf(row.id)).toEqual(Array.from({ length: 60 }, (_, number) => String(number)));
  });

  it('keeps acknowledged lines once, and no refused one, while owners take over from each other in the middle of commits', async () => {
    const row = newRow();
    const { id } = row;
    await using first = open(1);
    await add(first.start(row), 'first');
    const [acknowledged, refused]: [string[], string[]] = [['first'], []];
    const until = performance.now() + 5_000;
    let takeOvers = 0;
    const work = async (name: string) => {
      while (performance.now() < until) {
        // The lease expires at once: the others take over in the middle of the work.
        await using leases = open(1);
        const journal = await leases.acquire(id);
        if (!journal) continue;
        takeOvers++;
        for (let number = 0; number < 20; number++) {
          const lines = [`${name} ${takeOvers} ${number} a`, `${name} ${takeOvers} ${number} b`];
          const isSafe = await add(journal, ...lines).then(
            () => true,
            ({ code }) => code !== 'OWNERSHIP_LOST',
          );
          (isSafe ? acknowledged : refused).push(...lines);
          if (!isSafe) break;
        }
      }
    };
    await Promise.all(['one', 'two', 'three'].map(work));
    const lines = await linesOf(id);
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
    await using leases = postgresLeases({ database: other, ttlMs: LONG_MS });
    const rows = [newRow(), newRow(), newRow()] as const;
    const [old, living, today] = rows.map(({ id }) => id) as [string, string, string];
    for (const row of rows) {
      const journal = leases.start(row);
      await add(journal, row.id);
      if (row.id !== today) await journal.release();
    }
    for (const [id, day] of [
      [old, '2020-01-01'],
      [living, '2020-01-02'],
    ]) {
      server.postgres.sql(own, `select toolwright.create_partition('${day}')`);
      server.postgres.sql(own, `update toolwright.journal_lines set day = '${day}' where execution = '${id}'`);
      const change = `set day = '${day}', changed_at = '${day}'`;
      server.postgres.sql(own, `update toolwright.executions ${change} where id = '${id}'`);
    }
    expect(await leases.acquire(living)).toBeDefined();
    const partitions = () =>
      server.postgres.sql(
        own,
        `select count(*) from pg_inherits where inhparent = 'toolwright.journal_lines'::regclass`,
      );
    expect(partitions()).toBe('3');
    expect(server.postgres.sql(own, `select toolwright.purge_executions(clock_timestamp() - interval '30 days')`)).toBe(
      '1',
    );
    expect(await Promise.all([old, living, today].map((id) => linesOf(id, other)))).toEqual([[], [living], [today]]);
    expect(partitions()).toBe('2');
  });

  it('has the journal of an execution that another process continues', async () => {
    const [one, other] = [open(), open()];
    const row = newRow();
    const { id } = row;
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
    const journal = beginJournal({ sink: one.start(row), path: id }, start, options);
    journal.receive(readRequest(1, '["call","a__b",{}]'), false);
    journal.begin({ number: 1, request: 1, tool: 'a__b', arguments: '{"text":"snow ☃"}' });
    await journal.flushed();
    journal.end({ number: 1, request: 1, ok: true, result: '{"text":"𝄞"}' });
    await journal.flushed();
    // The process ends without a word; the lease of its executions is released here, and expires there.
    await one[Symbol.asyncDispose]();
    const read = () => readRecording(postgresReader(server.database), id, key);
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
