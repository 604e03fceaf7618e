import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { until } from '../../../../../test/fixtures/server.ts';
import type { ExecutionStorageRun } from '../../../../../test/suites/execution-storages/case.ts';
import { listed, start } from '../../../../../test/suites/execution-storages/steps.ts';
import { executionStorageCases, runExecutionStorageCase } from '../../../../../test/suites/execution-storages.ts';
import { dataFolder } from '../../../../storage/src/data-folder/data-folder.ts';
import { journalKey } from '../../../../storage/src/data-folder/integrity.ts';
import { startOwner } from '../../../../storage/src/leases/owner.ts';
import { openSqlite } from '../../../../storage/src/sqlite/database.ts';
import { openDriver } from '../../../../storage/src/sqlite/sqlite-driver.ts';
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

it('repeats a change of a row that has failed after its journal', async () => {
  const dataDir = temporaryFolder();
  await using storage = fileExecutions({ dataDir });
  const { journal } = await start(storage, 'ann');
  const driver = openDriver(dataFolder(dataDir).state);
  driver.exec(`create trigger refused before update on executions begin select raise(abort, 'refused'); end`);
  journal.close('completed');
  await journal.flushed();
  const statuses = async () => (await listed(storage, 'ann')).map(({ status }) => status);
  expect(await statuses()).toEqual([undefined]);
  driver.exec('drop trigger refused');
  driver.close();
  await until(async () => (await statuses())[0] === 'completed', 20_000);
});
