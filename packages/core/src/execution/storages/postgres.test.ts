import { afterAll, beforeAll, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, startPostgres, type TestPostgres, textOf } from '../../../../../test/fixtures/postgres.ts';
import { dataFolder } from '../../journal/data-folder.ts';
import { journalKey } from '../../journal/integrity.ts';
import { memoryBus } from '../../stores/buses/memory.ts';
import { openPostgres, type Postgres } from '../../stores/postgres/connection.ts';
import type { ExecutionStorageRun } from './conformance/case.ts';
import { executionStorageCases, runExecutionStorageCase } from './conformance.ts';
import { postgresExecutions } from './postgres.ts';

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

  /** Opens two processes without a message between them. */
  const openRun = (): Omit<ExecutionStorageRun, 'user'> => {
    const dataDir = temporaryFolder();
    let isDead = false;
    const mortal: Postgres = {
      ...database,
      write: async (sql, values) => {
        if (isDead && /set expires_at/.test(textOf(sql))) throw new Error('This process is dead.');
        return database.write(sql, values);
      },
    };
    const open = (own: Postgres) => postgresExecutions({ database: own, bus: memoryBus(), dataDir, ttlMs: 60_000 });
    return {
      one: open(mortal),
      other: open(database),
      key: journalKey(dataFolder(dataDir).journalKey),
      async kill() {
        isDead = true;
        postgres.sql(
          url,
          `update toolwright.executions set expires_at = clock_timestamp() - interval '1 second'
          where owner is not null`,
        );
      },
    };
  };

  it.for(executionStorageCases)('$name', (testCase) => runExecutionStorageCase(openRun(), testCase));
});
