import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { needsPostgres } from '../fixtures/postgres.ts';
import { createRandom } from '../fixtures/random.ts';
import { needsRedis } from '../fixtures/redis.ts';
import type { Work } from '../soak/clients.ts';
import { createLedger } from '../soak/ledger.ts';
import { atMost, type Figure, shown, tableOf } from '../soak/report.ts';
import { requestsOf, type Tally } from '../soak/requests.ts';
import { session } from '../soak/stored-data.ts';
import { approval, twentyCalls } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { breakCluster, type Faults } from './faults.ts';
import { followTask, mistakesOf } from './followers.ts';
import { recoveryOf } from './recovery.ts';

const LONG_SECONDS = 600;
const SHORT_SECONDS = 20;
const SECONDS = Number(process.env.TOOLWRIGHT_CLUSTER_SECONDS ?? SHORT_SECONDS);
const SEED = Number(process.env.TOOLWRIGHT_CLUSTER_SEED ?? 1);
/** Set to 0 for a cluster on PostgreSQL alone. */
const HAS_REDIS = process.env.TOOLWRIGHT_CLUSTER_REDIS !== '0';
const IS_LONG = SECONDS >= LONG_SECONDS;
/** The short form has fewer processes, because each start takes a second of one processor. */
const NODES = IS_LONG ? { apis: 3, workers: 3 } : { apis: 2, workers: 2 };
const FAULTS: Faults = IS_LONG
  ? { killEachMs: 5_000, redisFlushes: 5, redisRestarts: 2, postgresRestarts: 2 }
  : { killEachMs: 6_000, redisFlushes: 2, redisRestarts: 1, postgresRestarts: 2 };
const USERS = 4;
const CLIENTS = 6;
/** The bound in a test of a machine with other work. The goal is 10 s. */
const RECOVERY_MS = IS_LONG ? 10_000 : 30_000;
const MORE_MS = 300_000;

needsPostgres.describe('a cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ ...NODES, users: USERS, seed: SEED, hasRedis: HAS_REDIS });
  });
  afterAll(() => cluster?.close());

  needsRedis.it(
    `loses and doubles nothing in ${SECONDS} s of load, kills and restarts`,
    async () => {
      const tally: Tally = new Map();
      const ledger = createLedger(cluster.effects);
      const mistakes: string[] = [];
      const ending = AbortSignal.timeout(SECONDS * 1_000);
      const clients = Array.from({ length: CLIENTS }, (_, index) =>
        workUntil(ending, index, { cluster, tally, ledger, mistakes }),
      );
      const random = createRandom(SEED);
      await breakCluster(ending, cluster, { faults: FAULTS, totalMs: SECONDS * 1_000, random, tally });
      await Promise.all(clients);
      const balance = await ledger.balance();
      const recovery = recoveryOf(cluster.postgres, cluster.store);
      const figures: Figure[] = [
        ...[...tally].map(([name, count]) => shown(name, count)),
        shown('acknowledged executions, effects and files', balance.acknowledged),
        atMost('lost', balance.lost.length, 0),
        atMost('doubled effects', balance.doubled.length, 0),
        atMost('followers with a wrong or missing event', mistakes.length, 0),
        atMost('executions without an end in a minute', tally.get('executions without an end') ?? 0, 0),
        atMost('requests without a definite answer', tally.get('no definite answer') ?? 0, 0),
        shown('executions that another process continued', recovery.executions),
        shown('recovery p50', `${Math.round(recovery.p50Ms)} ms`),
        atMost('recovery p99', recovery.p99Ms, RECOVERY_MS, ' ms'),
      ];
      console.log(`\nSeed ${SEED}, ${SECONDS} s\n\n${tableOf(figures)}\n`);
      const broken = figures.filter(({ holds }) => !holds);
      if (broken.length > 0) console.log(detailsOf(cluster, { ...balance, mistakes }));
      expect(broken).toEqual([]);
    },
    SECONDS * 1_000 + MORE_MS,
  );
});

interface Shared extends Pick<Work, 'ledger'> {
  readonly cluster: Cluster;
  readonly tally: Tally;
  readonly mistakes: string[];
}

/** Works like one client until the signal aborts. */
async function workUntil(
  signal: AbortSignal,
  index: number,
  { cluster, tally, ledger, mistakes }: Shared,
): Promise<void> {
  const user = cluster.users[index % cluster.users.length];
  if (!user) return;
  const service = {
    get url() {
      return cluster.url();
    },
  };
  const work: Work = { requests: requestsOf(service, user, tally), ledger, random: createRandom(SEED * 1_000 + index) };
  const kinds: readonly (readonly [string, () => Promise<void>])[] = [
    ['executions with 20 calls', () => twentyCalls(work)],
    ['executions with 20 calls', () => twentyCalls(work)],
    ['approvals', () => approval(work)],
    ['sessions', () => session(work)],
    ['tasks', () => task(work, mistakes, cluster)],
  ];
  while (!signal.aborted) {
    const [name, run] = work.random.pick(kinds);
    await run();
    tally.set(name, (tally.get(name) ?? 0) + 1);
  }
}

/** Starts a task, follows it from process to process, and notes its answer. */
async function task({ requests, ledger, random }: Work, mistakes: string[], cluster: Cluster): Promise<void> {
  const headers = { prefer: 'respond-async', 'idempotency-key': ledger.newId() };
  const started = await requests.send('/task', { json: { task: 'Multiply six by seven.' }, headers });
  if (started?.status !== 202) return;
  const { taskId } = started.body;
  const followed = await followTask(cluster, requests.user, { task: taskId, random });
  mistakes.push(...mistakesOf(followed));
  const found = await requests.persist(`/tasks/${taskId}`);
  const { status, error } = found?.body ?? {};
  ledger.stored(`task ${taskId} (${status}, ${error?.message})`, async () => {
    return (await requests.persist(`/tasks/${taskId}`))?.body.status === 'completed';
  });
}

/** The rows of work that has not ended. */
const UNENDED = [
  `select id, kind, state, wake, attempts, fence, worker, due_at, expires_at, ready_at, clock_timestamp() as now
    from toolwright.work where state <> 'ended'`,
  'select ready, running, served_at from toolwright.work_users where ready <> 0 or running <> 0',
  'select execution, is_applied, added_at from toolwright.decisions where not is_applied',
  "select id, status, owner, expires_at, changed_at from toolwright.executions where status is null or status = 'suspended'",
];

/** Returns the parts of a report that explain a broken bound. */
function detailsOf(cluster: Cluster, found: Readonly<Record<string, unknown>>): string {
  const shortened = Object.entries(found).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.slice(0, 20) : value,
  ]);
  const rows = UNENDED.map((query) =>
    cluster.postgres.sql(cluster.store, `select row_to_json(found) from (${query}) found`),
  );
  const logs = cluster.nodes.map(({ name, log }) => `${name}:\n${readFileSync(log, 'utf8').slice(-3_000)}`);
  return [JSON.stringify(Object.fromEntries(shortened)), ...rows, ...logs].join('\n\n');
}
