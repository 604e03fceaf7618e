// Renews the leases of a process in a thread of its own, so that a busy event loop of the main thread loses none.
import { workerData } from 'node:worker_threads';
import { monotonicMs } from '../clocks/machine-clock.ts';
import type { Row, SqlValue } from '../database.ts';
import { openPool } from '../postgres/pool.ts';
import { sqliteAt } from '../sqlite/database.ts';
import { setNativeCalls } from '../sqlite/native-calls.ts';
import {
  MAX_SILENCE_MS,
  type RenewalAnswer,
  type RenewalOrder,
  type RenewalThread,
  type RowRenewal,
  renewedRow,
} from './renewal-orders.ts';

/** A database whose rows are renewed. */
interface Renewed {
  write(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
  end(): Promise<void>;
}

interface Job {
  ids: readonly string[];
  /** Resolves when nothing of it runs any more, and its database is closed. */
  stop(): Promise<void>;
}

const { port, calls }: RenewalThread = workerData;
setNativeCalls(calls);
const jobs = new Map<number, Job>();
const databases = new Map<string, { readonly database: Promise<Renewed>; users: number }>();
let heardMs = monotonicMs();

port.on('message', (order: RenewalOrder) => {
  heardMs = monotonicMs();
  if (order === 'alive') return;
  const { key } = order;
  const job = jobs.get(key);
  if ('add' in order) jobs.set(key, renewRows(key, order.add));
  else if ('ids' in order && job) job.ids = order.ids;
  else if ('remove' in order && job) {
    jobs.delete(key);
    const removed: RenewalAnswer = { key, isRemoved: true };
    void job.stop().finally(() => port.postMessage(removed));
  }
});

/** Repeats a step, never twice at once. A failure ends with the next time. Returns a function that ends this, and waits for the last step. */
function repeat(everyMs: number, step: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (running || monotonicMs() - heardMs > MAX_SILENCE_MS) return;
    // After a failure, the owner finds out by the age of its lease.
    running = step()
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

function renewRows(key: number, { url, sql, owner, ttlMs, everyMs }: RowRenewal): Job {
  const shared = databases.get(url) ?? { database: openRenewed(url, ttlMs), users: 0 };
  databases.set(url, shared);
  shared.users++;
  const stop = repeat(everyMs, async () => {
    const { ids } = job;
    if (ids.length === 0) return;
    const atMs = monotonicMs();
    const rows = await (await shared.database).write(sql, [owner, ttlMs, ids, false]);
    const answer: RenewalAnswer = { key, atMs, ids, rows: rows.map(renewedRow) };
    port.postMessage(answer);
  });
  const job: Job = {
    ids: [],
    async stop() {
      await stop();
      if (--shared.users > 0) return;
      databases.delete(url);
      await shared.database.then((database) => database.end()).catch(() => undefined);
    },
  };
  return job;
}

async function openRenewed(url: string, ttlMs: number): Promise<Renewed> {
  const local = sqliteAt(url);
  if (local) return { write: local.write, end: async () => local[Symbol.asyncDispose]() };
  const pool = await openPool(url, { timeoutMs: ttlMs, connections: 1 });
  return {
    write: async (text, values) => (await pool.query({ text, values: [...values] })).rows,
    end: () => pool.end(),
  };
}
