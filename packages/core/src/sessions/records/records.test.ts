import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, useDatabase } from '../../../../../test/fixtures/postgres.ts';
import { runSessionRecordsCase, sessionRecordsCases } from '../../../../../test/suites/session-records.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import { fileRecords } from './files.ts';
import { postgresRecords } from './postgres.ts';

describe('files', () => {
  it.for(sessionRecordsCases)('$name', (testCase) => {
    const folders = dataFolder(temporaryFolder());
    return runSessionRecordsCase({ one: fileRecords(folders), other: fileRecords(folders) }, testCase);
  });
});

needsPostgres.describe('postgres', () => {
  const server = useDatabase();

  it.for(sessionRecordsCases)('$name', (testCase) =>
    runSessionRecordsCase({ one: postgresRecords(server.database), other: postgresRecords(server.database) }, testCase),
  );

  it('keeps no more entries than a read returns', () => {
    const most = 'select max(n) from (select count(*) as n from toolwright.session_log group by session) counted';
    expect(server.postgres.sql(server.url, most)).toBe('1000');
  });
});
