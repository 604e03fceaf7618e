import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import {
  type JournalStorageRun,
  journalStorageCases,
  runJournalStorageCase,
} from '../../../../../test/suites/journal-storages.ts';
import { startOwner } from '../../stores/leases/owner.ts';
import { LEASE_TTL_MS } from '../../stores/leases/process-lease.ts';
import { fileJournals } from './files.ts';

const ID = '11111111-2222-4333-8444-555555555555';

/** Opens two owners of one folder, each with a clock that the test advances. */
function openRun(folder = temporaryFolder()): JournalStorageRun {
  const start = () => {
    let passed = 0;
    const clock = { now: () => 1_000_000 + passed, monotonic: () => passed, machine: '0a1b2c3d' };
    const { owner, close } = startOwner(join(folder, 'owners'), clock);
    const storage = fileJournals({
      folder: join(folder, 'executions'),
      claims: join(folder, 'claims'),
      owner: { ...owner, [Symbol.dispose]: close },
    });
    const pass = (ms: number) => {
      passed += ms;
    };
    return { storage, pass, close };
  };
  const [one, other] = [start(), start()];
  const closing = ({ storage, close }: typeof one) => ({
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      close();
    },
  });
  return {
    one: closing(one),
    other: closing(other),
    async expire() {
      one.pass(LEASE_TTL_MS);
      for (let step = 0; step < 3; step++) {
        other.pass(LEASE_TTL_MS * 0.4);
        await other.storage.renew();
      }
    },
  };
}

it.for(journalStorageCases)('$name', (testCase) => runJournalStorageCase(openRun(), testCase));

test('removes the part of a line that a crash has left, and leaves no other file', async () => {
  const folder = temporaryFolder();
  const { one, other } = openRun(folder);
  const first = await one.acquire(ID);
  first?.append(Buffer.from('a\nb\n'));
  await first?.release();
  appendFileSync(join(folder, 'executions', `${ID}.jsonl`), '{"entry":"ca');
  const second = await other.acquire(ID);
  second?.append(Buffer.from('c\n'));
  for await (const page of one.read(ID)) expect(page).toEqual(['a', 'b', 'c']);
  expect(readdirSync(join(folder, 'executions'))).toEqual([`${ID}.jsonl`]);
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});
