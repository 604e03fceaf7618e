import type { Durability } from '@toolwright/storage';
import {
  type Database,
  type DataFolder,
  databaseClock,
  dataFolder,
  journalKey,
  type Owner,
  openOwner,
  type ProcessLease,
  sqliteBus,
} from '@toolwright/storage/internal';
import { dueTimesBy } from '../../journal/due-times.ts';
import { type JournalEnds, readJournalEnds } from '../../journal/ends.ts';
import { readJournal } from '../../journal/file.ts';
import { endStatus } from '../../journal/history.ts';
import { continueJournal, type Journal, openJournal } from '../../journal/journal.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import { removeExecutionFiles } from '../../journal/remove-execution.ts';
import { fileReader } from '../../journal/storages/file.ts';
import { isTaken, type JournalReader } from '../../journal/storages/storage.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { startBeat, unlessRunning } from '../../unless-running.ts';
import type { ExecutionIndex } from '../listing/execution-index.ts';
import { indexRows } from '../listing/index-rows.ts';
import { type DecisionRows, decisionRows } from './decision-rows.ts';
import { executionFiles } from './execution-files.ts';
import { listHistory } from './history-rows.ts';
import { type LocalRows, localRows, type Settlement } from './local-rows.ts';
import { openState } from './old-files.ts';
import type {
  ExecutionClaim,
  ExecutionLease,
  ExecutionOwner,
  ExecutionSearch,
  ExecutionStorage,
  SuspendedExecution,
} from './storage.ts';
import { findSuspended } from './suspended-rows.ts';

export interface FileExecutionsOptions {
  readonly dataDir: string;
  /** Default: `process`. */
  readonly durability?: Durability | undefined;
  /** The owner of the executions, which the storage disposes. Default: this process. */
  readonly owner?: Owner | undefined;
}

const SEARCH_MS = 1_000;
/** Milliseconds between two looks for requests to cancel. */
const BEAT_MS = 1_000;
/** Milliseconds between two looks for executions of other processes. */
const LOOK_MS = 500;
/** An execution that was interrupted earlier is not continued by itself: a person may have done its work since. */
const MAX_INTERRUPTED_MS = 24 * 60 * 60 * 1_000;

/**
 * Opens the executions of a data folder, which processes of one machine share: their rows in SQLite, and their journals in files. One lease of
 * the process covers all its executions.
 */
export function fileExecutions({
  dataDir,
  durability = 'process',
  owner = openOwner(dataDir),
}: FileExecutionsOptions): ExecutionStorage {
  const folders = dataFolder(dataDir);
  const journals = fileReader(folders.executions);
  const database = openState(dataDir);
  const bus = sqliteBus(database);
  const key = () => journalKey(folders.journalKey);
  const decisions = decisionRows({ database, bus, key });
  const rows = localRows(database, owner, durability === 'fsync');
  const own = ownExecutions(owner);
  const cancels = new Set<(id: string) => boolean>();
  const ending = new AbortController();
  const cancelRequested = async () => {
    if (own.size() === 0) return;
    for (const id of await rows.cancelled((await owner.lease()).id)) for (const cancel of [...cancels]) cancel(id);
  };
  const endBeat = startBeat(BEAT_MS, cancelRequested);
  const parts = { folders, durability, owner, journals, database, key, rows, decisions, own };
  return {
    name: 'files',
    isShared: false,
    dueTimes: dueTimesBy(databaseClock(database.url).now),
    searchMs: SEARCH_MS,
    journals,
    decisions,
    ...ownerOf(parts),
    onLost: own.onLost,
    handOver: owner.release,
    requestCancel: rows.cancel,
    onCancelRequest(cancel) {
      cancels.add(cancel);
      return () => void cancels.delete(cancel);
    },
    ...readerOf(parts, ending.signal),
    ...executionFiles({
      database,
      folder: folders.executions,
      removeExpired: (ageMs, signal) => removeExpired(parts, ageMs, signal),
    }),
    async [Symbol.asyncDispose]() {
      ending.abort();
      endBeat();
      await owner[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

interface Parts {
  readonly folders: DataFolder;
  readonly durability: Durability;
  readonly owner: Owner;
  readonly journals: JournalReader;
  readonly database: Database;
  readonly key: () => Buffer;
  readonly rows: LocalRows;
  readonly decisions: DecisionRows;
  readonly own: OwnExecutions;
}

/** Returns the steps that make this process the owner of an execution. */
function ownerOf(parts: Parts): ExecutionOwner {
  const { folders, durability, owner, journals, key, rows, decisions, own } = parts;
  const claim = (id: string, lease: ProcessLease): ExecutionLease => {
    own.add(id, lease);
    const release = async () => {
      if (own.remove(id)) await rows.settle(id, lease.id, {});
    };
    return { ...lease, release };
  };
  return {
    async start(start, { maxBytes }) {
      const { id, user = DEFAULT_USER } = start;
      const lease = await owner.lease();
      if (!(await rows.add({ ...start, user }, lease.id))) throw isTaken(id);
      try {
        const options = { maxBytes, durability, key: key(), checkOwner: lease.check };
        const journal = openJournal(folders.executions, { owner: lease.id, ...start }, options);
        return { lease: claim(id, lease), journal: settled(journal, parts, { id, lease }) };
      } catch (error) {
        await rows.forget(id).catch(() => undefined);
        throw error;
      }
    },
    async acquire({ start: { id } }) {
      const hasEnded = async () => (await readJournalEnds(journals, id, 'head'))?.end !== undefined;
      const lease = await owner.lease();
      if (own.has(id) || !(await rows.take(id, lease.id, hasEnded))) return undefined;
      const resume: ExecutionClaim['resume'] = async (recording, process, { maxBytes }) => {
        const options = { maxBytes, durability, key: key(), checkOwner: lease.check };
        const journal = continueJournal(folders.executions, recording, { ...process, owner: lease.id }, options);
        await decisions.applied(id, appliedOf(recording));
        await rows.settle(id, lease.id, { owner: lease.id });
        return settled(journal, parts, { id, lease });
      };
      return { lease: claim(id, lease), resume };
    },
  };
}

/** Returns the steps that read and find executions. */
function readerOf({ folders, journals, database, rows, owner }: Parts, signal: AbortSignal): ExecutionSearch {
  return {
    listHistory: (userId, filter) => listHistory(database, userId, filter),
    async ends(id, part) {
      const ends = await readJournalEnds(journals, id, part);
      if (!ends) return undefined;
      const mayRun = !ends.end && !ends.suspension && ends.start !== undefined;
      return { ...ends, isRunning: mayRun && (await rows.isRunning(id)) };
    },
    content: (id) => readJournal(folders.executions, id),
    async findSuspended(known) {
      await owner.endDead();
      await rows.settleAgain();
      const found: SuspendedExecution[] = [];
      for (const { owner: last, ...execution } of await findSuspended(database, known)) {
        const isCut = last !== null;
        if (!isCut || canContinue(await readJournalEnds(journals, execution.id, 'head'))) found.push(execution);
      }
      return found;
    },
    openIndex: () => {
      const changes = { publish: () => undefined, subscribe: () => () => undefined };
      const index = indexRows({ database, journals, changes });
      return { ...index, onForeignChange: (listener) => lookEach(LOOK_MS, index, signal, listener) };
    },
  };
}

/** Removes the executions that were last used before a time, with their journals and files. Returns their number. */
async function removeExpired({ folders, rows }: Parts, ageMs: number, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const id of await rows.expired(ageMs)) {
    if (signal.aborted) break;
    await removeExecutionFiles(folders.executions, id);
    await rows.forget(id);
    removed++;
  }
  return removed;
}

/** Lets an index catch up with other processes from time to time. Returns the function that ends this. */
function lookEach(everyMs: number, index: ExecutionIndex, signal: AbortSignal, listener: () => void): () => void {
  // A failed look is repeated, and the next query reports it.
  const look = unlessRunning(() => index.catchUp(signal).then(listener));
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}

/** Returns whether a journal without a living owner is one that goes on. */
function canContinue(ends: JournalEnds | undefined): boolean {
  const { start, suspension, end, changedMs = 0 } = ends ?? {};
  return start !== undefined && !end && (suspension !== undefined || changedMs > Date.now() - MAX_INTERRUPTED_MS);
}

/** Returns the calls and questions whose decisions a journal has. */
function appliedOf({ questions }: Recording): (readonly [call: number, question: number])[] {
  const decided = [...questions.values()].flat().filter(({ decision }) => decision);
  return decided.map((question) => [question.number, questionNumber(question)]);
}

/** The executions of this process, with the leases under which they run. */
interface OwnExecutions {
  size(): number;
  has(id: string): boolean;
  add(id: string, lease: ProcessLease): void;
  /** Returns whether it was there. */
  remove(id: string): boolean;
  onLost(listener: (id: string) => void): () => void;
}

function ownExecutions(owner: Owner): OwnExecutions {
  const leases = new Map<string, ProcessLease>();
  const listeners = new Set<(id: string) => void>();
  owner.onLost((lost) => {
    for (const [id, lease] of [...leases]) if (lease.id === lost) for (const listener of [...listeners]) listener(id);
  });
  return {
    size: () => leases.size,
    has: (id) => leases.get(id)?.isHeld() === true,
    add: (id, lease) => void leases.set(id, lease),
    remove: (id) => leases.delete(id),
    onLost(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns a journal whose end, suspension and decisions change the rows too. */
function settled(
  journal: Journal,
  { rows, decisions, own }: Parts,
  { id, lease }: { readonly id: string; readonly lease: ProcessLease },
): Journal {
  let settling: Promise<void> | undefined;
  const afterwards = (work: () => Promise<void>) => {
    settling = (settling ?? Promise.resolve()).then(work).catch(() => undefined);
  };
  const settle = (settlement: Settlement) => {
    own.remove(id);
    afterwards(() => rows.settle(id, lease.id, settlement));
  };
  return {
    ...journal,
    decide(entry) {
      journal.decide(entry);
      afterwards(() => decisions.applied(id, [[entry.number, questionNumber(entry)]]));
    },
    close(status, more) {
      try {
        journal.close(status, more);
      } catch (error) {
        settle({});
        throw error;
      }
      settle({ status: endStatus(status, more?.limit) });
    },
    flushed() {
      const flushed = journal.flushed();
      // An end gives the execution up. A young lease, as of nearly each call, costs no step.
      if (settling) return Promise.resolve(flushed).then(() => settling);
      return lease.isOld() ? Promise.resolve(flushed).then(lease.confirm) : flushed;
    },
    suspend(entry) {
      journal.suspend(entry);
      settle({ status: 'suspended', wakeMs: entry.wakeMs });
    },
    abandon() {
      journal.abandon();
      settle({});
    },
  };
}
