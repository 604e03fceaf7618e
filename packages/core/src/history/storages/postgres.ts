import {
  type Bus,
  databaseClock,
  dataFolder,
  escapedText,
  journalKey,
  ownershipLost,
  type Postgres,
} from '@toolwright/storage/internal';
import { contentOf } from '../../journal/content.ts';
import { dueTimesBy } from '../../journal/due-times.ts';
import { readJournalEnds } from '../../journal/ends.ts';
import { beginJournal, type Journal, resumeJournal } from '../../journal/journal.ts';
import { type OwnRows, postgresLeases } from '../../journal/storages/postgres-leases.ts';
import { postgresReader } from '../../journal/storages/postgres-reader.ts';
import type { JournalReader, JournalSink } from '../../journal/storages/storage.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { startBeat, unlessRunning } from '../../unless-running.ts';
import { indexRows } from '../listing/index-rows.ts';
import { watchChanges } from '../listing/watch-changes.ts';
import { decisionRows } from './decision-rows.ts';
import { executionFiles } from './execution-files.ts';
import { listHistory } from './history-rows.ts';
import { CANCEL } from './local-rows.ts';
import type { ExecutionClaim, ExecutionLease, ExecutionStorage, KnownExecutions } from './storage.ts';
import { findSuspended } from './suspended-rows.ts';

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

/** Milliseconds between two renewals of the leases, and two looks for decisions and changes whose messages were lost. */
const BEAT_MS = 1_000;
const SEARCH_MS = 1_000;
const CANCELS = 'execution-cancels';

const PURGE = `select toolwright.purge_executions(clock_timestamp() - $1 * interval '1 millisecond')::text as removed`;

/**
 * Opens the executions of a database, which any number of machines share. Each owner of an execution has a higher fencing number than the
 * one before, and each commit carries it. All times are those of the database. Messages of the bus may be lost: each process looks for
 * changes each second too.
 */
export function postgresExecutions({ database, bus, dataDir, ...times }: PostgresExecutionsOptions): ExecutionStorage {
  const folders = dataFolder(dataDir);
  const key = () => journalKey(folders.journalKey);
  const lost = new Set<(id: string) => void>();
  const cancels = new Set<(id: string) => boolean>();
  const onLost = (id: string) => {
    for (const listener of [...lost]) listener(id);
  };
  const cancel = (id: string) => [...cancels].some((each) => each(id));
  const journals = postgresReader(database);
  const leases = postgresLeases({ database, ...times, everyMs: BEAT_MS, onLost, onCancel: cancel });
  const decisions = decisionRows({ database, bus, key });
  const changes = watchChanges({ database, bus });
  const look = () => Promise.allSettled([decisions.look(), changes.look()]);
  const ends = [startBeat(BEAT_MS, look), bus.subscribe(CANCELS, cancel), bus.onGap(unlessRunning(changes.look))];
  return {
    name: 'postgres',
    isShared: true,
    dueTimes: dueTimesBy(databaseClock(database.url).now),
    searchMs: SEARCH_MS,
    journals,
    decisions,
    listHistory: (userId, filter) => listHistory(database, userId, filter),
    async start(start, { maxBytes }) {
      const { id, user = DEFAULT_USER, session, dryRun } = start;
      const rows = leases.start({ id, userId: escapedText(user), session, isDryRun: dryRun === true });
      const lease = leaseOf(rows);
      let journal: Journal | undefined;
      try {
        const options = { maxBytes, key: key(), checkOwner: lease.check };
        journal = beginJournal({ sink: confirmed(rows), path: id }, { owner: leases.owner, ...start }, options);
        await journal.flushed();
        return { lease, journal };
      } catch (error) {
        journal?.abandon();
        rows.discard();
        throw error;
      }
    },
    async acquire({ start: { id } }) {
      const rows = await leases.acquire(id);
      return rows && claimed(rows, { id, owner: leases.owner, key });
    },
    onLost: (listener) => listen(lost, listener),
    handOver: leases.handOver,
    async requestCancel(id) {
      await database.write(CANCEL, [id]);
      bus.publish(CANCELS, id);
    },
    onCancelRequest: (listener) => listen(cancels, listener),
    ...readerOf(database, journals),
    openIndex: () => indexRows({ database, journals, changes }),
    ...executionFiles({
      database,
      folder: folders.executions,
      removeExpired: async (ageMs) => Number((await database.write(PURGE, [ageMs]))[0]?.removed),
    }),
    async [Symbol.asyncDispose]() {
      for (const end of ends) end();
      changes.close();
      await leases[Symbol.asyncDispose]();
    },
  };
}

/** Returns the steps that read and find executions. */
function readerOf(database: Postgres, journals: JournalReader) {
  return {
    async ends(id: string, part: 'whole' | 'head') {
      const found = await readJournalEnds(journals, id, part);
      return found && { ...found, isRunning: found.isOwned === true && !found.end && !found.suspension };
    },
    async content(id: string) {
      const lines: string[] = [];
      for await (const page of journals.read(id)) lines.push(...page);
      return contentOf(lines);
    },
    findSuspended: (known: KnownExecutions) => findSuspended(database, known),
  };
}

function leaseOf({ isLost, confirm, release }: OwnRows): ExecutionLease {
  return {
    isHeld: () => !isLost(),
    check() {
      if (isLost()) throw ownershipLost('of the execution in time');
    },
    confirm,
    release,
  };
}

/** Before each effect, the lease must be young too: a process may have been paused after its commit. */
function confirmed(rows: OwnRows): JournalSink {
  return {
    ...rows,
    async flushed() {
      await rows.flushed();
      await rows.confirm();
    },
  };
}

interface Claiming {
  readonly id: string;
  readonly owner: string;
  readonly key: () => Buffer;
}

function claimed(rows: OwnRows, { id, owner, key }: Claiming): ExecutionClaim {
  const lease = leaseOf(rows);
  return {
    lease,
    async resume(recording, process, { maxBytes }) {
      const options = { maxBytes, key: key(), checkOwner: lease.check };
      const journal = resumeJournal({ sink: confirmed(rows), path: id }, recording, { ...process, owner }, options);
      try {
        await journal.flushed();
        return journal;
      } catch (error) {
        journal.abandon();
        throw error;
      }
    },
  };
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
