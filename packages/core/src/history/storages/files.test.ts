import { it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { until } from '../../../../../test/fixtures/server.ts';
import type { ExecutionStorageRun } from '../../../../../test/suites/execution-storages/case.ts';
import { executionStorageCases, runExecutionStorageCase } from '../../../../../test/suites/execution-storages.ts';
import { dataFolder } from '../../../../storage/src/data-folder/data-folder.ts';
import { journalKey } from '../../../../storage/src/data-folder/integrity.ts';
import { startOwner } from '../../../../storage/src/leases/owner.ts';
import { openSqlite } from '../../../../storage/src/sqlite/database.ts';
import { fileExecutions } from './files.ts';

/** Opens two owners of one data folder. */
function openRun(): Omit<ExecutionStorageRun, 'user'> {
  const dataDir = temporaryFolder();
  const { state, journalKey: key } = dataFolder(dataDir);
  const open = () => {
    const owner = startOwner(openSqlite(state));
    return { storage: fileExecutions({ dataDir, owner }), owner };
  };
  const [one, other] = [open(), open()];
  return {
    one: one.storage,
    other: other.storage,
    key: journalKey(key),
    async kill({ journal }) {
      const lease = await one.owner.lease();
      // Another process of the folder has ended the lease.
      await using database = openSqlite(state);
      await database.write('delete from processes where id = $1', [lease.id]);
      await until(() => !lease.isHeld(), 20_000);
      journal.abandon();
    },
  };
}

it.for(executionStorageCases)('$name', (testCase) => runExecutionStorageCase(openRun(), testCase));
