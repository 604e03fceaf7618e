import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres } from '../../../../../test/fixtures/postgres.ts';
import { dataFolder } from '../../journal/data-folder.ts';
import { openPostgres, type Postgres } from '../../stores/postgres/connection.ts';
import { runSessionRecordsCase, sessionRecordsCases } from './conformance.ts';
import { fileRecords } from './files.ts';
import { postgresRecords } from './postgres.ts';

describe('files', () => {
  it.for(sessionRecordsCases)('$name', (testCase) => {
    const folders = dataFolder(temporaryFolder());
    return runSessionRecordsCase({ one: fileRecords(folders), other: fileRecords(folders) }, testCase);
  });
});

needsPostgres.describe('postgres', () => {
  let postgres: TestPostgres;
  let url: string;
  let database: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.create();
    database = openPostgres({ url });
  });
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]();
    await postgres?.stop();
  });

  it.for(sessionRecordsCases)('$name', (testCase) =>
    runSessionRecordsCase({ one: postgresRecords(database), other: postgresRecords(database) }, testCase),
  );

  it('keeps no more entries than a read returns', () => {
    const most = 'select max(n) from (select count(*) as n from toolwright.session_log group by session) counted';
    expect(postgres.sql(url, most)).toBe('1000');
  });
});
