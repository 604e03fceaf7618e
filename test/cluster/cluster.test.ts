import { afterAll, beforeAll } from 'vitest';
import { needsPostgres } from '../fixtures/postgres.ts';
import { needsRedis } from '../fixtures/redis.ts';
import { movedClock } from '../soak/programs.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { Faults } from './faults.ts';
import { IS_LONG, LOAD_MS, MOVED_MS, SECONDS, SEED, USERS, underLoad } from './load.ts';
import { databaseRecovery, WORST } from './recovery.ts';

/** Set to 0 for a cluster on PostgreSQL alone. */
const HAS_REDIS = process.env.TOOLWRIGHT_CLUSTER_REDIS !== '0';
/** The short form has fewer processes, because each start takes a second of one processor. */
const NODES = IS_LONG ? { apis: 3, workers: 3 } : { apis: 2, workers: 2 };
const FAULTS: Faults = IS_LONG
  ? { killEachMs: 5_000, pauses: { 20: 5, 60: 3 }, redisFlushes: 5, redisStops: 2, postgresRestarts: 2 }
  : { killEachMs: 6_000, pauses: {}, redisFlushes: 2, redisStops: 1, postgresRestarts: 2 };
const CLOCKS: Readonly<Record<string, Record<string, string>>> = {
  'api-1': movedClock(-MOVED_MS),
  'worker-1': movedClock(MOVED_MS),
};

/** The rows of work that has not ended. */
const UNENDED = [
  `select id, kind, state, wake, attempts, fence, worker, due_at, expires_at, ready_at, clock_timestamp() as now
    from toolwright.work where state <> 'ended'`,
  'select ready, running, served_at from toolwright.work_users where ready <> 0 or running <> 0',
  'select execution, is_applied, added_at from toolwright.decisions where not is_applied',
  "select id, status, owner, expires_at, changed_at from toolwright.executions where status is null or status = 'suspended'",
];

needsPostgres.describe('a cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const envOf = (name: string) => CLOCKS[name] ?? {};
    cluster = await startCluster({ ...NODES, users: USERS, seed: SEED, hasRedis: HAS_REDIS, envOf });
  });
  afterAll(() => cluster?.close());

  needsRedis.it(
    `loses and doubles nothing in ${SECONDS} s of load, kills and restarts`,
    async () => {
      const { postgres, store, faults } = cluster;
      await underLoad(cluster, {
        faults: FAULTS,
        recovery: () => databaseRecovery(postgres, store, faults),
        details: () =>
          [...UNENDED, WORST].map((query) => postgres.sql(store, `select row_to_json(found) from (${query}) found`)),
      });
    },
    LOAD_MS,
  );
});
