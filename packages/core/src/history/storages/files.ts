import type { Durability } from '@toolwright/storage';
import {
  type Database,
  databaseClock,
  dataFolder,
  type Owner,
  openOwner,
  ownerLives,
  type ProcessLease,
  type SqlValue,
  sqliteBus,
} from '@toolwright/storage/internal';
import { dueTimesBy } from '../../journal/due-times.ts';
import { readJournalEnds } from '../../journal/ends.ts';
import { readJournal } from '../../journal/file.ts';
import type { HistoryStatus } from '../../journal/history.ts';
import { continueJournal, isJournalOpen, openJournal } from '../../journal/journal.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import { removeExecutionFiles } from '../../journal/remove-execution.ts';
import { fileReader } from '../../journal/storages/file.ts';
import {
  isTaken,
  type JournalReader,
  type JournalSink,
  type LeaseEvents,
  type NewExecution,
} from '../../journal/storages/storage.ts';
import { startBeat } from '../../unless-running.ts';
import { BEAT_MS, databaseExecutions, type ExecutionRight, type ExecutionRights } from './database-executions.ts';
import { APPLY } from './decision-rows.ts';
import { openState } from './old-files.ts';
import type { ExecutionLease, ExecutionStorage } from './storage.ts';

export interface FileExecutionsOptions {
  readonly dataDir: string;
  /** Default: `process`. */
  readonly durability?: Durability | undefined;
  /** The owner of the executions, which the storage disposes. Default: this process. */
  readonly owner?: Owner | undefined;
}

const ADD = `insert into toolwright.executions (id, user_id, session, started_ms, dry_run, owner, changed_at)
  values ($1, $2, $3, $4, $5, $6, clock_timestamp()) on conflict do nothing returning id`;
const SETTLE = `update toolwright.executions set status = $2, wake_at = to_timestamp($3::float8 / 1000), owner = $4,
  changed_at = clock_timestamp(), cancel_at = null where id = $1 and owner = $5`;
const FIND = 'select owner, status from toolwright.executions where id = $1';
const TAKE = `update toolwright.executions set owner = $2 where id = $1 and owner is not distinct from $3 and status is not distinct from $4
  returning id`;
const FORGET = 'delete from toolwright.executions where id = $1';
const CANCELLED = `select id from toolwright.executions where status is null and owner = $1 and cancel_at > clock_timestamp() - $2 * interval '1 millisecond'`;
const EXPIRED = `select id from toolwright.executions
  where changed_at < clock_timestamp() - $1 * interval '1 millisecond' and status is distinct from 'suspended'
    and not ${ownerLives('owner')}`;
/** Milliseconds after which a request to cancel holds no more. */
const REQUEST_MS = 60_000;

/**
 * Opens the executions of a data folder, which processes of one machine share: their rows in SQLite, and their journals in files. One lease of
 * the process covers all its executions.
 */
export function fileExecutions({
  dataDir,
  durability = 'process',
  owner = openOwner(dataDir),
}: FileExecutionsOptions): ExecutionStorage {
  const { executions: folder } = dataFolder(dataDir);
  const journals = fileReader(folder);
  const database = openState(dataDir);
  const bus = sqliteBus(database);
  const dueTimes = dueTimesBy(databaseClock(database.url).now);
  const parts = { database, owner, folder, journals, durability };
  const storage = databaseExecutions({
    ...{ database, bus, journals, dueTimes, dataDir },
    content: (id) => readJournal(folder, id),
    openRights: (events) => processRights(parts, events),
  });
  return {
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

interface Parts {
  readonly database: Database;
  readonly owner: Owner;
  readonly folder: string;
  readonly journals: JournalReader;
  readonly durability: Durability;
}

/** The lease of the process, as that of one execution. */
type OwnLease = ProcessLease & ExecutionLease;

/** Returns rights by the lease of the process. */
function processRights(parts: Parts, { onLost, onCancel }: LeaseEvents): ExecutionRights {
  const { database, owner, folder } = parts;
  const rows = openRows(parts);
  /** The executions of this process, with the leases under which they run. */
  const own = new Map<string, OwnLease>();
  owner.onLost((lost) => {
    for (const [id, lease] of [...own]) if (lease.id === lost) onLost(id);
  });
  const endBeat = startBeat(BEAT_MS, async () => {
    await rows.settleAgain();
    if (own.size === 0) return;
    for (const { id } of await database.read(CANCELLED, [(await owner.lease()).id, REQUEST_MS])) onCancel(String(id));
  });
  return {
    async start(execution) {
      const lease = await owner.lease();
      if (!(await rows.add(execution, lease.id))) throw isTaken(execution.id);
      return rightTo(execution.id, lease, { ...parts, rows, own });
    },
    async acquire(id) {
      const lease = await owner.lease();
      if (own.get(id)?.isHeld() || !(await rows.take(id, lease.id))) return undefined;
      return rightTo(id, lease, { ...parts, rows, own });
    },
    handOver: owner.release,
    endDead: owner.endDead,
    async removeExpired(ageMs, signal) {
      let removed = 0;
      for (const { id } of await database.read(EXPIRED, [ageMs])) {
        if (signal.aborted) break;
        await removeExecutionFiles(folder, String(id));
        await rows.forget(String(id));
        removed++;
      }
      return removed;
    },
    async [Symbol.asyncDispose]() {
      endBeat();
      await owner[Symbol.asyncDispose]();
    },
  };
}

interface OwnParts extends Parts {
  readonly rows: ReturnType<typeof openRows>;
  readonly own: Map<string, OwnLease>;
}

/** Returns the right to an execution that the lease of the process covers. Its row changes after its journal. */
function rightTo(id: string, process: ProcessLease, parts: OwnParts): ExecutionRight {
  const { rows, own, folder, durability } = parts;
  /** Forgets the execution. Returns false if another step was first. */
  const leave = () => own.get(id) === lease && own.delete(id);
  const settle = (status: HistoryStatus | null, wakeMs: number | null) =>
    rows.settle(id, status, wakeMs, null, process.id);
  const lease: OwnLease = {
    ...process,
    async release() {
      if (leave()) await settle(null, null);
    },
  };
  own.set(id, lease);
  let changing: Promise<void> | undefined;
  const afterwards = (work: () => Promise<void>) => {
    changing = (changing ?? Promise.resolve()).then(work).catch(() => undefined);
  };
  const sinkOf = (file: JournalSink): JournalSink => ({
    append(lines, settlement) {
      file.append(lines);
      if (!settlement) return;
      const { applied, status, wakeMs } = settlement;
      if (applied) afterwards(() => rows.apply(id, [applied]));
      // The row of an execution that goes on follows when the file has its place.
      if (!status || !leave()) return;
      afterwards(() => settle(status, wakeMs ?? null));
    },
    flushed() {
      const flushed = file.flushed();
      return changing ? Promise.resolve(flushed).then(() => changing) : flushed;
    },
    close() {
      if (leave()) afterwards(() => settle(null, null));
      file.close();
    },
  });
  return {
    ...{ owner: process.id, lease },
    begin: async (start, options) => openJournal(folder, start, { ...options, durability, sinkOf }),
    async resume(recording, resume, options) {
      const journal = continueJournal(folder, recording, resume, { ...options, durability, sinkOf });
      await rows.apply(id, appliedOf(recording));
      await rows.settle(id, null, null, process.id, process.id);
      return journal;
    },
    async discard() {
      leave();
      await rows.forget(id).catch(() => undefined);
    },
  };
}

type RowChange = [status: HistoryStatus | null, wakeMs: number | null, owner: string | null, lease: string];

/** Returns the steps that change rows. */
function openRows({ database, owner, journals, durability }: Parts) {
  /** Changes that have failed. */
  const failed = new Map<string, RowChange>();
  const write = (sql: string, values: readonly SqlValue[]) =>
    database.write(sql, values, { isFlushed: durability === 'fsync' });
  /** Changes a row that the lease has after its journal. Never rejects: a change that fails is repeated. */
  const settle = async (id: string, ...change: RowChange) => {
    failed.delete(id);
    await write(SETTLE, [id, ...change]).catch(() => failed.set(id, change));
  };
  const settleAgain = async () => {
    for (const [id, change] of [...failed]) await settle(id, ...change);
  };
  return {
    settle,
    settleAgain,
    /** Adds an execution. Returns false if its id is taken. */
    async add({ id, userId, session, isDryRun }: NewExecution, lease: string) {
      return (await write(ADD, [id, userId, session ?? null, Date.now(), isDryRun, lease])).length > 0;
    },
    /** Takes an execution that is suspended or whose owner has died. Returns false if a living process has it, or another one was first. */
    async take(id: string, lease: string) {
      await settleAgain();
      const [row] = await database.read(FIND, [id]);
      if (!row || isJournalOpen(id)) return false;
      const [last, status] = [row.owner as string | null, row.status as string | null];
      if (last !== null && (owner.isOwn(last) || !(await owner.end(last)))) return false;
      // The journal decides: a power cut may have taken its end.
      const mayHaveEnded = status !== null && status !== 'suspended';
      if (mayHaveEnded && (await readJournalEnds(journals, id, 'head'))?.end) return false;
      return (await write(TAKE, [id, lease, last, status])).length > 0;
    },
    forget: (id: string) => write(FORGET, [id]),
    /** Notes that a journal has the decisions of these questions. */
    async apply(id: string, questions: readonly (readonly [call: number, question: number])[]) {
      for (const question of questions) await database.write(APPLY, [id, ...question]);
    },
  };
}

/** Returns the calls and questions whose decisions a journal has. */
function appliedOf({ questions }: Recording): (readonly [call: number, question: number])[] {
  const decided = [...questions.values()].flat().filter(({ decision }) => decision);
  return decided.map((question) => [question.number, questionNumber(question)]);
}
