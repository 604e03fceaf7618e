import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { movedClock } from '../soak/programs.ts';
import { type Folder, startFolder } from './cluster.ts';
import type { Faults } from './faults.ts';
import { IS_LONG, LOAD_MS, MOVED_MS, SECONDS, SEED, USERS, underLoad } from './load.ts';
import { folderRecovery } from './recovery.ts';

const NONE = { redisFlushes: 0, redisStops: 0, postgresRestarts: 0 };
const FAULTS: Faults = IS_LONG
  ? { killEachMs: 10_000, pauses: { 20: 3, 60: 2 }, ...NONE }
  : { killEachMs: 6_000, pauses: {}, ...NONE };

let folder: Folder;
beforeAll(async () => {
  const envOf = (name: string) => (name === 'all-1' ? movedClock(MOVED_MS) : {});
  folder = await startFolder({ users: USERS, seed: SEED, envOf });
});
afterAll(() => folder?.close());

test(
  `two processes on one data folder lose and double nothing in ${SECONDS} s of load, kills and pauses`,
  async () => {
    const { dataDir, faults, wrongBy } = folder;
    const recovery = () => folderRecovery(join(dataDir, 'executions'), faults, wrongBy);
    await underLoad(folder, { faults: FAULTS, recovery });
  },
  LOAD_MS,
);
