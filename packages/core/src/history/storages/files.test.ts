import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import type { ExecutionStorageRun } from '../../../../../test/suites/execution-storages/case.ts';
import { executionStorageCases, runExecutionStorageCase } from '../../../../../test/suites/execution-storages.ts';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import { journalKey } from '../../stores/data-folder/integrity.ts';
import { ownersFolder, startOwner } from '../../stores/leases/owner.ts';
import { LEASE_TTL_MS } from '../../stores/leases/process-lease.ts';
import { fileExecutions } from './files.ts';

/** Opens two owners of one data folder. */
function openRun(): Omit<ExecutionStorageRun, 'user'> {
  const dataDir = temporaryFolder();
  const open = () => {
    let passed = 0;
    const clock = {
      now: () => Date.now() + passed,
      monotonic: () => performance.now() + passed,
      machine: '0a1b2c3d',
    };
    const { owner, close } = startOwner(ownersFolder(dataDir), clock);
    const storage = fileExecutions({ dataDir, owner: { ...owner, [Symbol.dispose]: close } });
    const pass = (ms: number) => {
      passed += ms;
    };
    return { storage, owner, pass };
  };
  const [one, other] = [open(), open()];
  return {
    one: one.storage,
    other: other.storage,
    key: journalKey(dataFolder(dataDir).journalKey),
    async kill({ journal }) {
      const { id } = one.owner.lease();
      // Another process of the folder has ended the lease.
      const owners = ownersFolder(dataDir);
      for (const name of readdirSync(owners)) if (name.startsWith(id)) rmSync(join(owners, name));
      one.pass(LEASE_TTL_MS);
      one.owner.lease();
      journal.abandon();
    },
  };
}

it.for(executionStorageCases)('$name', (testCase) => runExecutionStorageCase(openRun(), testCase));
