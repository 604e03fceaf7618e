import { type Bus, type Database, dataFolder, escapedText, journalKey, ownerLives } from '@toolwright/storage/internal';
import type { DueTimes } from '../../journal/due-times.ts';
import { readJournalEnds } from '../../journal/ends.ts';
import type { JournalStart, ResumeEntry } from '../../journal/entries.ts';
import type { Journal, JournalOptions } from '../../journal/journal.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import type { JournalReader, LeaseEvents, NewExecution } from '../../journal/storages/storage.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { startBeat } from '../../unless-running.ts';
import { indexRows } from '../listing/index-rows.ts';
import { watchChanges } from '../listing/watch-changes.ts';
import { decisionRows } from './decision-rows.ts';
import { executionFiles } from './execution-files.ts';
import { listHistory } from './history-rows.ts';
import type { ExecutionLease, ExecutionStorage, JournalLimits } from './storage.ts';
import { findSuspended } from './suspended-rows.ts';

/** The right of this process to one execution, and to its journal. */
export interface ExecutionRight {
  /** Id of the owner, for the journal. */
  readonly owner: string;
  readonly lease: ExecutionLease;
  /** Starts the journal. Resolves when the start survives a crash of this process. */
  begin(start: JournalStart, options: JournalOptions): Promise<Journal>;
  /** Continues the journal after the lines of its recording. Raises `OWNERSHIP_LOST`. */
  resume(recording: Recording, resume: ResumeEntry, options: JournalOptions): Promise<Journal>;
  /** Forgets an execution whose journal could not be started. Never rejects. */
  discard(): Promise<void>;
}

/** The rights of this process to executions. Their leases, the places of their journals and the commits of both differ between engines. */
export interface ExecutionRights extends AsyncDisposable {
  /** Takes the right to a new execution. Raises `CONFIG_INVALID` if its id is taken. */
  start(execution: NewExecution): Promise<ExecutionRight>;
  /** Takes the right to an execution that is suspended or was interrupted. Returns undefined while a living process has it. */
  acquire(id: string): Promise<ExecutionRight | undefined>;
  /** Gives up all executions. Never rejects. */
  handOver(): Promise<void>;
  /** Ends the rights of processes that have ended, before their leases expire, where this process can see it. */
  endDead(): Promise<void>;
  /** Removes the executions that were last used before a time in milliseconds ago. Returns their number. */
  removeExpired(ageMs: number, signal: AbortSignal): Promise<number>;
}

export interface ExecutionParts {
  readonly database: Database;
  readonly bus: Bus;
  readonly journals: JournalReader;
  readonly content: ExecutionStorage['content'];
  readonly dueTimes: DueTimes;
  /** The folder of the key of the journals, and of the files of executions. */
  readonly dataDir: string;
  /** Opens the rights, which the storage disposes. */
  readonly openRights: (events: LeaseEvents) => ExecutionRights;
}

/** Milliseconds between two looks for decisions and changes whose messages were lost, and between two renewals of leases. */
export const BEAT_MS = 1_000;
const CANCELS = 'execution-cancels';

const CANCEL = 'update toolwright.executions set cancel_at = clock_timestamp() where id = $1 and status is null';
const LIVES = `select ${ownerLives('owner')} as lives from toolwright.executions where id = $1`;

/** Opens the executions of a database. Messages of the bus may be lost: each process looks for changes each second too. */
export function databaseExecutions(parts: ExecutionParts): ExecutionStorage {
  const { database, bus, journals, dueTimes, dataDir } = parts;
  const isShared = database.engine === 'postgres';
  const { executions: folder, journalKey: keyFile } = dataFolder(dataDir);
  const key = () => journalKey(keyFile);
  const lost = new Set<(id: string) => void>();
  const cancels = new Set<(id: string) => boolean>();
  const cancel = (id: string) => void [...cancels].some((listener) => listener(id));
  const rights = parts.openRights({
    onLost(id) {
      for (const listener of [...lost]) listener(id);
    },
    onCancel: cancel,
  });
  const decisions = decisionRows({ database, bus, key });
  // The processes of a data folder write no rows before a list is read, so that messages would not be enough.
  const changes = isShared ? watchChanges({ database, bus }) : undefined;
  const look = () => Promise.allSettled([decisions.look(), changes?.look()]);
  const ends = [startBeat(BEAT_MS, look), bus.subscribe(CANCELS, cancel)];
  const optionsOf = ({ lease }: ExecutionRight, { maxBytes }: JournalLimits): JournalOptions => ({
    ...{ maxBytes, key: key(), lease },
  });
  return {
    ...{ isShared, dueTimes, journals, decisions, handOver: rights.handOver },
    async start(start, limits) {
      const { id, user = DEFAULT_USER, session, dryRun = false } = start;
      const right = await rights.start({ id, userId: escapedText(user), session, isDryRun: dryRun });
      try {
        const journal = await right.begin({ owner: right.owner, ...start }, optionsOf(right, limits));
        return { lease: right.lease, journal };
      } catch (error) {
        await right.discard();
        throw error;
      }
    },
    async acquire({ start: { id } }) {
      const right = await rights.acquire(id);
      if (!right) return undefined;
      const { lease, owner } = right;
      return {
        lease,
        resume: (recording, process, limits) =>
          right.resume(recording, { ...process, owner }, optionsOf(right, limits)),
      };
    },
    onLost: (listener) => listen(lost, listener),
    async requestCancel(id) {
      await database.write(CANCEL, [id], { isFlushed: true });
      bus.publish(CANCELS, id);
    },
    onCancelRequest: (listener) => listen(cancels, listener),
    listHistory: (userId, filter) => listHistory(database, userId, filter),
    async ends(id, part) {
      const found = await readJournalEnds(journals, id, part);
      if (!found) return undefined;
      const lives = async () => Boolean((await database.read(LIVES, [id]))[0]?.lives);
      const mayRun = !found.end && !found.suspension;
      return { ...found, isRunning: mayRun && (found.isOwned ?? (await lives())) };
    },
    content: parts.content,
    async findSuspended(skipped) {
      await rights.endDead();
      return findSuspended(database, journals, skipped);
    },
    openIndex: () => indexRows({ database, journals, changes }),
    ...executionFiles({ database, folder, removeExpired: rights.removeExpired }),
    async [Symbol.asyncDispose]() {
      for (const end of ends) end();
      changes?.close();
      await rights[Symbol.asyncDispose]();
    },
  };
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
