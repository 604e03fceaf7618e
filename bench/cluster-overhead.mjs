// node bench/cluster-overhead.mjs [--rounds N] [--sandbox NAME]: the cost of a cluster for one execution. Sends `POST /execute` of a
// program without calls, and of one with 20 calls. One process with SQLite and files, and an api process with a worker, take turns. PostgreSQL and Redis have their default settings: each commit waits for the disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres, startRedis } from './cluster/databases.mjs';
import { openProcesses } from './cluster/processes.mjs';
import { client } from './http/client.mjs';
import { percentiles, round, time } from './measure.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string' }, sandbox: { type: 'string' } } });
const ROUNDS = Number(values.rounds ?? 200);
const WARM_UP = 20;
const CALLS = 20;
const REST_MS = 5;
const programs = {
  none: 'return 1',
  calls: `for (let n = 0; n < ${CALLS}; n++) await callMCPTool('tools__echo', { value: String(n) }); return 1`,
};

async function execute({ post }, code) {
  const { body, ms } = await post('/execute', { code });
  if (body.status !== 'completed' || body.value !== 1) throw new Error(JSON.stringify(body).slice(0, 500));
  return ms;
}

/** Returns the commits and bytes of the log of PostgreSQL since its start. */
async function written(database) {
  const [row] = (
    await database.query(
      'select sum(xact_commit) as commits, (select wal_bytes from pg_stat_wal) as bytes from pg_stat_database',
    )
  ).rows;
  return { commits: Number(row.commits), bytes: Number(row.bytes) };
}

/** Returns the time of one commit of one small row, over one connection. */
async function commitMs(database) {
  await database.query('create table bench_commits (text text)');
  const samples = [];
  for (let index = 0; index < ROUNDS; index++) {
    samples.push(await time(() => database.query('insert into bench_commits values ($1)', ['x'.repeat(200)])));
  }
  return figures(samples);
}

/** Returns the quickest tenth, where other work disturbs least, the median and the 95th percentile. */
function figures(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return { p10: round(sorted[Math.floor(sorted.length / 10)], 2), ...percentiles(samples) };
}

async function measure(ways) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, { none: [], calls: [] }]));
  for (let index = -WARM_UP; index < ROUNDS; index++) {
    for (const [name, way] of Object.entries(ways)) {
      for (const [program, code] of Object.entries(programs)) {
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
        const ms = await execute(way, code);
        if (index >= 0) times[name][program].push(ms);
      }
    }
  }
  return times;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-cluster-'));
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
const processes = await openProcesses(folder, { sandbox: values.sandbox });
const database = new pg.Client({ connectionString: postgres.url });
database.on('error', () => undefined);
try {
  await database.connect();
  const env = { TOOLWRIGHT_STORE: postgres.url, TOOLWRIGHT_REDIS: redis.url };
  const embedded = await processes.serve('embedded');
  await processes.serve('worker', { role: 'worker', env });
  const api = await processes.serve('api', { role: 'api', env });
  const ways = { embedded: client(embedded.url), cluster: client(api.url) };
  const times = await measure(ways);
  const overhead = (at) => {
    const beyond = (program) => figures(times.cluster[program])[at] - figures(times.embedded[program])[at];
    return {
      perExecution: round(beyond('none')),
      perCall: round((beyond('calls') - beyond('none')) / CALLS, 3),
    };
  };
  console.log(
    JSON.stringify(
      {
        load: round(loadavg()[0], 1),
        rounds: ROUNDS,
        executionMs: { embedded: figures(times.embedded.none), cluster: figures(times.cluster.none) },
        twentyCallsMs: { embedded: figures(times.embedded.calls), cluster: figures(times.cluster.calls) },
        overheadMs: { p50: overhead('p50'), quickestTenth: overhead('p10') },
        goalMs: { perExecution: 8, perCall: 0.5 },
        commitMs: await commitMs(database),
        written: await written(database),
      },
      undefined,
      2,
    ),
  );
  for (const way of Object.values(ways)) way.close();
} finally {
  await processes.stop();
  await database.end().catch(() => undefined);
  await Promise.all([postgres.stop(), redis.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
