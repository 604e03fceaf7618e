import { join } from 'node:path';
import { it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { runTaskStorageCase, type TaskStorageRun, taskStorageCases } from '../../../../../test/suites/task-storages.ts';
import { startOwner } from '../../../../core/src/stores/leases/owner.ts';
import { LEASE_TTL_MS } from '../../../../core/src/stores/leases/process-lease.ts';
import { fileTasks } from './files.ts';

/** Opens two owners of one folder, each with a clock that the test advances. */
function openRun(): TaskStorageRun {
  const folder = temporaryFolder();
  let passed = 0;
  const start = () => {
    const clock = { now: () => 1_000_000 + passed, monotonic: () => passed, machine: '0a1b2c3d' };
    const { owner, close } = startOwner(join(folder, 'owners'), clock);
    return fileTasks({ root: join(folder, 'tasks'), owner: { ...owner, [Symbol.dispose]: close } });
  };
  return {
    one: start(),
    other: start(),
    async expire() {
      passed += LEASE_TTL_MS;
    },
  };
}

it.for(taskStorageCases)('$name', (testCase) => runTaskStorageCase(openRun(), testCase));
