import { type Bus, databaseClock, type Postgres } from '@toolwright/storage/internal';
import { contentOf } from '../../journal/content.ts';
import { dueTimesBy } from '../../journal/due-times.ts';
import { beginJournal, type Journal, resumeJournal } from '../../journal/journal.ts';
import { type OwnRows, type PostgresLeases, postgresLeases } from '../../journal/storages/postgres-leases.ts';
import { postgresReader } from '../../journal/storages/postgres-reader.ts';
import { BEAT_MS, databaseExecutions, type ExecutionRight, type ExecutionRights } from './database-executions.ts';
import type { ExecutionStorage } from './storage.ts';

export interface PostgresExecutionsOptions {
  /** The database. The caller closes it. */
  readonly database: Postgres;
  /** Carries messages to other processes. The caller closes it. */
  readonly bus: Bus;
  /** The folder of the key of the journals, and of the files of executions. */
  readonly dataDir: string;
  /** Milliseconds without a renewal after which other processes may continue an execution. Default: 5,000. */
  readonly ttlMs?: number;
  /** Milliseconds that a commit waits for a database that does not answer. Default: 30,000. */
  readonly retryMs?: number;
}

const PURGE = `select toolwright.purge_executions(clock_timestamp() - $1 * interval '1 millisecond')::text as removed`;

/**
 * Opens the executions of a database, which any number of machines share. Each owner of an execution has a higher fencing number than the
 * one before, and each commit carries it. All times are those of the database.
 */
export function postgresExecutions({ database, bus, dataDir, ...times }: PostgresExecutionsOptions): ExecutionStorage {
  const journals = postgresReader(database);
  return databaseExecutions({
    ...{ database, bus, dataDir, journals },
    async content(id) {
      const lines: string[] = [];
      for await (const page of journals.read(id)) lines.push(...page);
      return contentOf(lines);
    },
    dueTimes: dueTimesBy(databaseClock(database.url).now),
    openRights: (events) => rowRights(database, postgresLeases({ database, ...times, everyMs: BEAT_MS, ...events })),
  });
}

/** Returns rights by a lease per execution, next to the lines of its journal: one commit changes both. */
function rowRights(database: Postgres, leases: PostgresLeases): ExecutionRights {
  const { owner } = leases;
  const rightTo = (path: string, rows: OwnRows): ExecutionRight => ({
    ...{ owner, lease: rows },
    begin: (start, options) => flushed(beginJournal({ sink: rows, path }, start, options)),
    resume: (recording, resume, options) => flushed(resumeJournal({ sink: rows, path }, recording, resume, options)),
    discard: async () => rows.discard(),
  });
  return {
    start: async (execution) => rightTo(execution.id, leases.start(execution)),
    async acquire(id) {
      const rows = await leases.acquire(id);
      return rows && rightTo(id, rows);
    },
    handOver: leases.handOver,
    endDead: async () => undefined,
    removeExpired: async (ageMs) => Number((await database.write(PURGE, [ageMs]))[0]?.removed),
    [Symbol.asyncDispose]: leases[Symbol.asyncDispose],
  };
}

/** Returns a journal whose lines are safe. */
async function flushed(journal: Journal): Promise<Journal> {
  try {
    await journal.flushed();
    return journal;
  } catch (error) {
    journal.abandon();
    throw error;
  }
}
