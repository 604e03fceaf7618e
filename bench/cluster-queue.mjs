// node bench/cluster-queue.mjs [--seconds N] [--workers 10,50]: the queue traffic of up to 1,000 workers, to find the first limit of one
// PostgreSQL and one Redis. Workers are simulated in this process: each claims work, holds it for a second and finishes it. It renews its
// leases each second, and looks at the queue, the lead and the waiting tasks as often as a real one. The offered load is one work per
// second and worker. The claims of all workers share some connections, and the reports of BullMQ reach groups of workers.
import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { bullmqDispatcher } from '../packages/server/build/cluster/dispatchers/bullmq.js';
import { rowQueue } from '../packages/server/build/queue/rows.js';
import { openPostgres } from '../packages/storage/dist/internal.js';
import { startPostgres, startRedis } from './cluster/databases.mjs';
import { firstLimit, percentile } from './cluster/limits.mjs';
import { processorTimes, timesBetween } from './cluster/processes.mjs';
import { round } from './measure.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, workers: { type: 'string' } } });
const STAGES = (values.workers ?? '10,50,100,300,1000').split(',').map(Number);
const STAGE_MS = Number(values.seconds ?? 12) * 1_000;
const HOLD_MS = 1_000;
const CONCURRENCY = 32;
const MOST_CLAIMED = 4;
const USERS = 200;
const RENEW_MS = 1_000;
const LOOK_MS = 2_000;
const LEAD_MS = 2_500;
const TASKS_MS = 1_300;
const SUBMIT_MS = 20;
const MOST_SUBMITTING = 400;
const SAMPLE_MS = 100;
const MOST_WAITS = 4;
/** Connections of the simulation, of the 100 that PostgreSQL has by default. */
const MOST_CONNECTIONS = 80;
/** Groups of workers that share a listener of BullMQ. */
const MOST_LISTENERS = 16;
const REQUEST = { run: 'execute', code: 'return 1'.padEnd(300, ' '), options: {}, user: 'user' };

/** Repeats a step of a worker from a random phase on. Calls `late` with the milliseconds from the due time to the end of the step. */
function repeat(everyMs, step, late = () => undefined) {
  let timer;
  let dueMs = performance.now() + Math.random() * everyMs;
  let isOpen = true;
  const run = async () => {
    await step().catch(() => undefined);
    late(performance.now() - dueMs);
    dueMs = Math.max(dueMs + everyMs, performance.now());
    if (isOpen) timer = setTimeout(run, dueMs - performance.now());
  };
  timer = setTimeout(run, dueMs - performance.now());
  return () => {
    isOpen = false;
    clearTimeout(timer);
  };
}

function startWorker({ queue, counts, database }) {
  const id = randomUUID();
  /** Ids of claimed work. */
  const running = new Set();
  const hold = async (work) => {
    running.add(work.id);
    counts.waited.push(work.waitedMs);
    await sleep(HOLD_MS);
    const isDone = await queue.finish(work, { value: 1 }).catch(() => false);
    if (isDone) counts.finished++;
    else counts.lost++;
    running.delete(work.id);
    await claim(1);
  };
  const claim = async (most) => {
    if (running.size >= CONCURRENCY) return;
    const startMs = performance.now();
    const claimed = await queue
      .claim({ worker: id, kinds: ['execution', 'task'], most, perUser: 2 ** 31 - 1 })
      .catch(() => []);
    if (claimed.length > 0) counts.claims.push(performance.now() - startMs);
    for (const work of claimed) void hold(work);
  };
  const ends = [
    repeat(
      RENEW_MS,
      async () => running.size > 0 && (await queue.renew(id, [...running])),
      (ms) => {
        counts.renewals++;
        if (ms > RENEW_MS) counts.lateRenewals++;
      },
    ),
    repeat(LOOK_MS, () => claim(MOST_CLAIMED)),
    repeat(LEAD_MS, () => queue.reconcile(id, 1_000)),
    repeat(TASKS_MS, () => database.query('select id::text from toolwright.tasks where waits')),
  ];
  return { claim: () => claim(1), stop: () => ends.map((end) => end()) };
}

/** Submits `perSecond` works each second, as far as the queue takes them. Returns a function that ends it. */
function submitWorks({ queue, dispatcher, counts }, perSecond) {
  let submitting = 0;
  let owed = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    owed += ((performance.now() - lastMs) / 1_000) * perSecond;
    lastMs = performance.now();
    for (; owed >= 1 && submitting < MOST_SUBMITTING; owed--) {
      const id = randomUUID();
      submitting++;
      counts.offered++;
      queue
        .submit({ id, kind: 'execution', user: `user-${Math.floor(Math.random() * USERS)}`, request: REQUEST })
        .then(() => dispatcher.notify([{ id }]))
        .catch(() => undefined)
        .finally(() => submitting--);
    }
    owed = Math.min(owed, perSecond);
  }, SUBMIT_MS);
  return () => clearInterval(timer);
}

/** Samples the reasons for which the connections of PostgreSQL wait. Returns a function that ends it with their averages. */
async function sampleWaits(url) {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const waits = new Map();
  let most = 0;
  let samples = 0;
  const end = repeat(SAMPLE_MS, async () => {
    const { rows } = await database.query(
      `select coalesce(wait_event_type || ' ' || wait_event, 'processor') as wait, state from pg_stat_activity where application_name = 'toolwright'`,
    );
    samples++;
    most = Math.max(most, rows.length);
    for (const { wait, state } of rows) if (state === 'active') waits.set(wait, (waits.get(wait) ?? 0) + 1);
  });
  return async () => {
    end();
    await database.end();
    const frequent = [...waits].sort(([, a], [, b]) => b - a).slice(0, MOST_WAITS);
    return {
      mostOpen: most,
      // Connections that waited at the same time, on average.
      waits: Object.fromEntries(frequent.map(([name, count]) => [name, round(count / Math.max(1, samples))])),
    };
  };
}

async function runStage(workerCount, { postgres, redis, database, url, key }) {
  const connections = Math.min(2 * workerCount, MOST_CONNECTIONS);
  const queue = rowQueue({ database: openPostgres({ url, connections }), key });
  const logger = { warn: () => undefined };
  const open = () => bullmqDispatcher({ url: redis.url, cluster: `bench-${workerCount}`, nameOf: (id) => id, logger });
  const dispatchers = await Promise.all(Array.from({ length: Math.min(workerCount, MOST_LISTENERS) }, open));
  const counts = { offered: 0, finished: 0, lost: 0, renewals: 0, lateRenewals: 0, claims: [], waited: [] };
  await queue.counts();
  const before = readTimes({ postgres, redis });
  const startMs = performance.now();
  const workers = Array.from({ length: workerCount }, () => startWorker({ queue, counts, database }));
  let next = 0;
  const listening = dispatchers.map((dispatcher) => dispatcher.listen(() => workers[next++ % workers.length].claim()));
  const endWaits = await sampleWaits(url);
  const endSubmitting = submitWorks({ queue, dispatcher: dispatchers[0], counts }, workerCount);
  await sleep(STAGE_MS);
  const seconds = (performance.now() - startMs) / 1_000;
  const used = timesBetween(before, readTimes({ postgres, redis }));
  const { finished, claims, waited, renewals, lateRenewals, lost } = counts;
  endSubmitting();
  for (const worker of workers) worker.stop();
  const { mostOpen, waits } = await endWaits();
  await Promise.all(listening.map((each) => each.close()));
  await Promise.all(dispatchers.map((dispatcher) => dispatcher[Symbol.asyncDispose]()));
  await queue[Symbol.asyncDispose]();
  await database.query('truncate toolwright.work, toolwright.work_users');
  const stage = {
    workers: workerCount,
    wantedPerSecond: workerCount,
    offeredPerSecond: round(counts.offered / seconds, 1),
    // The works of the last second are still held.
    finishedPerSecond: round(finished / (seconds - HOLD_MS / 1_000), 1),
    claimMs: { p50: percentile(claims, 0.5), p99: percentile(claims, 0.99) },
    readyToClaimedMs: { p50: percentile(waited, 0.5), p99: percentile(waited, 0.99) },
    renewals: { all: renewals, late: lateRenewals, lostWorks: lost },
    processors: Object.fromEntries(Object.entries(used).map(([name, ms]) => [name, round(ms / 1_000 / seconds)])),
    connections: { used: mostOpen, modelled: connections, realWorkers: `${workerCount * 2} to ${workerCount * 10}` },
    redisConnectionsOfRealWorkers: workerCount * 5,
    waits,
    load: round(loadavg()[0], 1),
  };
  return { ...stage, limit: firstLimit(stage, availableParallelism()) };
}

/** Returns the processor times, where that of this process is without its children. */
function readTimes({ postgres, redis }) {
  const { user, system } = process.cpuUsage();
  const ofServers = processorTimes({ postgres: postgres.pid, redis: redis.pid });
  return { ...ofServers, simulation: (user + system) / 1_000 };
}

const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
const database = new pg.Pool({ connectionString: postgres.url, max: 4 });
database.on('error', () => undefined);
try {
  const parts = { postgres, redis, database, url: postgres.url, key: randomBytes(32) };
  const stages = [];
  for (const workers of STAGES) {
    stages.push(await runStage(workers, parts));
    console.log(JSON.stringify(stages.at(-1)));
  }
  const first = stages.find(({ limit }) => limit !== undefined);
  console.log(JSON.stringify({ firstLimit: first ? `${first.workers} workers: ${first.limit}` : 'none up to here' }));
} finally {
  await database.end().catch(() => undefined);
  await Promise.all([postgres.stop(), redis.stop()]);
}
process.exit();
