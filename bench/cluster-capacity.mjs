// node bench/cluster-capacity.mjs [--executions N] [--sandbox NAME]: the resources of one execution in a cluster of one api and one worker.
// These are processor time, transactions, bytes of the log and of the tables of PostgreSQL, memory of Redis, and blobs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres, startRedis } from './cluster/databases.mjs';
import { openProcesses, processorTimes, timesBetween } from './cluster/processes.mjs';
import { client } from './http/client.mjs';
import { round } from './measure.mjs';

const { values } = parseArgs({ options: { executions: { type: 'string' }, sandbox: { type: 'string' } } });
const EXECUTIONS = Number(values.executions ?? 1_000);
const WARM_UP = 40;
const AT_ONCE = 8;
const CALLS = 20;
/** The index of lists and the statistics of PostgreSQL are a moment behind. */
const SETTLE_MS = 3_000;
const programs = {
  'without calls': { code: 'return 1' },
  'with 20 calls': {
    code: `for (let n = 0; n < ${CALLS}; n++) await callMCPTool('tools__echo', { value: String(n) }); return 1`,
  },
  'with a changed file of a session': {
    code: `await fs.writeFile('a.txt', String(Math.random())); return 1`,
    session: true,
  },
};
const TABLES = `select c.relname as name, pg_total_relation_size(c.oid) as bytes from pg_class c
  where c.relnamespace = 'toolwright'::regnamespace and c.relkind = 'r'`;
const COUNTERS = `select (select sum(xact_commit) from pg_stat_database) as transactions, wal_bytes, wal_sync from pg_stat_wal`;

async function readState({ database, redis, pids }) {
  await database.query('checkpoint');
  const sizes = Object.fromEntries((await database.query(TABLES)).rows.map(({ name, bytes }) => [name, Number(bytes)]));
  const [counters] = (await database.query(COUNTERS)).rows;
  const [{ blobs }] = (await database.query('select count(*)::int as blobs from toolwright.folder_blobs')).rows;
  const info = execFileSync('redis-cli', ['-s', redis.url, 'info'], { encoding: 'utf8' });
  const field = (name) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return {
    sizes,
    blobs,
    transactions: Number(counters.transactions),
    walBytes: Number(counters.wal_bytes),
    walSyncs: Number(counters.wal_sync),
    redisCommands: field('total_commands_processed'),
    redisBytes: field('used_memory'),
    redisConnections: field('connected_clients'),
    processors: processorTimes(pids),
  };
}

async function executeAll({ post }, { code, session }, count) {
  let left = count;
  const work = async () => {
    const sessionId = session ? (await post('/sessions', {})).body.sessionId : undefined;
    while (left-- > 0) {
      const { body } = await post('/execute', { code, ...(sessionId ? { sessionId } : {}) });
      if (body.status !== 'completed') throw new Error(JSON.stringify(body).slice(0, 500));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Returns the differences of two states for each execution. */
function perExecution(before, after, count) {
  const each = (name, digits = 1) => round((after[name] - before[name]) / count, digits);
  const used = timesBetween(before.processors, after.processors);
  const grown = Object.entries(after.sizes).map(([name, bytes]) => [name, (bytes - (before.sizes[name] ?? 0)) / count]);
  const parts = grown.filter(([, bytes]) => bytes > 1).sort(([, a], [, b]) => b - a);
  return {
    processorMs: Object.fromEntries(Object.entries(used).map(([name, ms]) => [name, round(ms / count)])),
    transactions: each('transactions'),
    walSyncs: each('walSyncs'),
    walBytes: each('walBytes', 0),
    diskBytes: round(
      parts.reduce((sum, [, bytes]) => sum + bytes, 0),
      0,
    ),
    diskBytesByTable: Object.fromEntries(parts.map(([name, bytes]) => [name, round(bytes, 0)])),
    blobs: each('blobs', 2),
    redisCommands: each('redisCommands'),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'bench-cluster-'));
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
const processes = await openProcesses(folder, { sandbox: values.sandbox });
const database = new pg.Client({ connectionString: postgres.url });
database.on('error', () => undefined);
try {
  await database.connect();
  const env = { TOOLWRIGHT_STORE: postgres.url, TOOLWRIGHT_REDIS: redis.url };
  const worker = await processes.serve('worker', { role: 'worker', env });
  const api = await processes.serve('api', { role: 'api', env });
  const pids = { api: api.pid, worker: worker.pid, postgres: postgres.pid, redis: redis.pid };
  const parts = { database, redis, pids };
  const way = client(api.url);
  for (const [name, program] of Object.entries(programs)) {
    await executeAll(way, program, WARM_UP);
    await sleep(SETTLE_MS);
    const before = await readState(parts);
    const startMs = performance.now();
    await executeAll(way, program, EXECUTIONS);
    const seconds = (performance.now() - startMs) / 1_000;
    await sleep(SETTLE_MS);
    const perSecond = round(EXECUTIONS / seconds, 1);
    const figures = { perSecond, ...perExecution(before, await readState(parts), EXECUTIONS) };
    console.log(JSON.stringify({ [name]: figures }, undefined, 2));
  }
  const idle = await readState(parts);
  await sleep(SETTLE_MS);
  const afterIdle = await readState(parts);
  const { rows } = await database.query(
    `select count(*)::int as n from pg_stat_activity where application_name = 'toolwright'`,
  );
  const idleSeconds = SETTLE_MS / 1_000;
  console.log(
    JSON.stringify(
      {
        load: round(loadavg()[0], 1),
        executions: EXECUTIONS,
        processes: Object.keys(pids).length - 2,
        postgresConnections: rows[0].n,
        redis: { bytes: afterIdle.redisBytes, connections: afterIdle.redisConnections },
        transactionsPerIdleSecond: round((afterIdle.transactions - idle.transactions) / idleSeconds, 1),
      },
      undefined,
      2,
    ),
  );
  way.close();
} finally {
  await processes.stop();
  await database.end().catch(() => undefined);
  await Promise.all([postgres.stop(), redis.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
