import { it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { needsPostgres, textOf, useDatabase } from '../../../../../test/fixtures/postgres.ts';
import type { ExecutionStorageRun } from '../../../../../test/suites/execution-storages/case.ts';
import { executionStorageCases, runExecutionStorageCase } from '../../../../../test/suites/execution-storages.ts';
import { memoryBus } from '../../../../storage/src/buses/memory.ts';
import { dataFolder } from '../../../../storage/src/data-folder/data-folder.ts';
import { journalKey } from '../../../../storage/src/data-folder/integrity.ts';
import type { Postgres } from '../../../../storage/src/postgres/connection.ts';
import { postgresExecutions } from './postgres.ts';

needsPostgres.describe('postgres', () => {
  const server = useDatabase();

  /** Opens two processes without a message between them. */
  const openRun = (): Omit<ExecutionStorageRun, 'user'> => {
    const dataDir = temporaryFolder();
    let isDead = false;
    const mortal: Postgres = {
      ...server.database,
      // Nor does another thread renew its leases.
      url: 'postgres://127.0.0.1:1/none',
      write: async (sql, values) => {
        if (isDead && /set expires_at/.test(textOf(sql))) throw new Error('This process is dead.');
        return server.database.write(sql, values);
      },
    };
    const open = (own: Postgres) => postgresExecutions({ database: own, bus: memoryBus(), dataDir, ttlMs: 60_000 });
    return {
      one: open(mortal),
      other: open(server.database),
      key: journalKey(dataFolder(dataDir).journalKey),
      async kill() {
        isDead = true;
        server.postgres.sql(
          server.url,
          `update toolwright.executions set expires_at = clock_timestamp() - interval '1 second'
          where owner is not null`,
        );
      },
    };
  };

  it.for(executionStorageCases)('$name', (testCase) => runExecutionStorageCase(openRun(), testCase));
});
