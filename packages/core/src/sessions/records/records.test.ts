import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, useDatabase } from '../../../../../test/fixtures/postgres.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import { runSessionRecordsCase, sessionRecordsCases } from '../../../../../test/suites/session-records.ts';
import { dataFolder } from '../../../../storage/src/data-folder/data-folder.ts';
import { openSqlite } from '../../../../storage/src/sqlite/database.ts';
import { folderRecords } from './folder-records.ts';
import { sessionRows } from './rows.ts';

describe('sqlite', () => {
  const open = (dataDir = temporaryFolder()) => {
    const folders = dataFolder(dataDir);
    const database = openSqlite(folders.state);
    onTestFinished(() => database[Symbol.asyncDispose]());
    return { dataDir, folders, database, records: folderRecords(folders, database) };
  };

  it.for(sessionRecordsCases)('$name', (testCase) => {
    const { dataDir, records } = open();
    return runSessionRecordsCase({ one: records, other: open(dataDir).records }, testCase);
  });

  it('adds the sessions of a former version once, without cut and damaged lines', async () => {
    const { folders, database, records } = open();
    const write = (id: string, record: string, log = '') => {
      mkdirSync(folders.session(id), { recursive: true });
      writeFileSync(join(folders.session(id), 'session.json'), record);
      if (log !== '') writeFileSync(join(folders.session(id), 'log.jsonl'), log);
    };
    const createdAt = '2026-01-01T00:00:00.000Z';
    const lastUsedAt = '2026-01-02T03:04:05.000Z';
    const record = (id: string, more = {}) => JSON.stringify({ id, user: 'ada ☃\u0000', createdAt, ...more });
    write('one', record('one', { customer: 'acme' }), '{"code":"1"}\n{"co\n{"code":"2"}\nno\n{"code":"3');
    utimesSync(join(folders.session('one'), 'session.json'), new Date(lastUsedAt), new Date(lastUsedAt));
    write('two', record('other'));
    write('three', '');
    const session = { id: 'one', userId: 'ada ☃\u0000', customer: 'acme', createdAt, lastUsedAt };
    expect(await records.list('ada ☃\u0000')).toEqual([session]);
    expect((await records.entries('one')).map(({ code }) => code)).toEqual(['1', '2']);
    // A process that starts later finds the new lines in the table only.
    appendFileSync(join(folders.session('one'), 'log.jsonl'), '{"code":"4"}\n');
    expect(await folderRecords(folders, database).entries('one')).toHaveLength(2);
    const refused = await failureOf(records.create({ id: 'two', userId: 'eve' }));
    expect(refused).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/two has files of a session/),
    });
    expect(await records.find('two')).toBe(undefined);
    expect(await records.remove('one')).toBeGreaterThan(0);
    expect(await folderRecords(folders, database).list('ada ☃\u0000')).toEqual([]);
  });

  it('keeps no session whose folder could not be created', async () => {
    const { dataDir, folders, records } = open();
    await records.list('ada');
    writeFileSync(join(dataDir, 'sessions'), '');
    expect((await failureOf(records.create({ id: 'one', userId: 'ada' }))).code).toBe('CONFIG_INVALID');
    rmSync(folders.sessions);
    expect(await records.list('ada')).toEqual([]);
  });
});

needsPostgres.describe('postgres', () => {
  const server = useDatabase();

  it.for(sessionRecordsCases)('$name', (testCase) =>
    runSessionRecordsCase({ one: sessionRows(server.database), other: sessionRows(server.database) }, testCase),
  );

  it('keeps no more entries than a read returns', () => {
    const most = 'select max(n) from (select count(*) as n from toolwright.session_log group by session) counted';
    expect(server.postgres.sql(server.url, most)).toBe('1000');
  });
});
