import { machineDueTimes } from '../../journal/due-times.ts';
import { readJournalEnds } from '../../journal/ends.ts';
import { readJournal } from '../../journal/file.ts';
import { addToHistory, continueInHistory, endStatus, type HistoryStatus, readHistory } from '../../journal/history.ts';
import { historyChanges } from '../../journal/history-changes.ts';
import { continueJournal, isJournalOpen, type Journal, openJournal } from '../../journal/journal.ts';
import { isRunning } from '../../journal/liveness.ts';
import type { Recording } from '../../journal/recording.ts';
import { measureExecutions, removeExecution } from '../../journal/remove-execution.ts';
import { fileReader } from '../../journal/storages/file-reader.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { sqliteBus } from '../../stores/buses/sqlite.ts';
import { type DataFolder, dataFolder } from '../../stores/data-folder/data-folder.ts';
import { journalKey } from '../../stores/data-folder/integrity.ts';
import type { Durability } from '../../stores/durability.ts';
import { openCancelRequests } from '../../stores/leases/cancel-requests.ts';
import { type Claims, type OwnClaim, openClaims } from '../../stores/leases/claims.ts';
import { type Owner, openOwner } from '../../stores/leases/owner.ts';
import type { ProcessLease } from '../../stores/leases/process-lease.ts';
import { openSqlite } from '../../stores/sqlite/database.ts';
import { fileIndex } from '../listing/file-index.ts';
import { purgeExecutions } from '../purge-executions.ts';
import { type DecisionRows, decisionRows } from './decision-rows.ts';
import { findSuspendedFiles } from './files-suspended.ts';
import type { ExecutionClaim, ExecutionLease, ExecutionStorage, HistoryFilter } from './storage.ts';

export interface FileExecutionsOptions {
  readonly dataDir: string;
  /** Default: `process`. */
  readonly durability?: Durability | undefined;
  /** The owner of the executions, which the storage disposes. Default: this process. */
  readonly owner?: Owner | undefined;
}

const SEARCH_MS = 15_000;

/** Opens the executions of a data folder, which processes of one machine share. One lease of the process covers all its executions. */
export function fileExecutions({
  dataDir,
  durability = 'process',
  owner = openOwner(dataDir),
}: FileExecutionsOptions): ExecutionStorage {
  const folders = dataFolder(dataDir);
  const claims = openClaims(folders.claims, owner);
  const journals = fileReader(folders.executions);
  const database = openSqlite(folders.state);
  const bus = sqliteBus(database);
  const decisions = decisionRows({ database, bus, key: () => journalKey(folders.journalKey) });
  const own = ownExecutions(owner);
  const cancels = new Set<(id: string) => boolean>();
  const requests = openCancelRequests(dataDir, owner, (id) => [...cancels].some((cancel) => cancel(id)));
  const parts = { folders, durability, decisions, own };
  return {
    name: 'files',
    isShared: false,
    dueTimes: machineDueTimes(),
    searchMs: SEARCH_MS,
    journals,
    decisions,
    history: {
      list: (userId, filter) => listHistory(folders.history(userId), filter),
      changes: (userId, options) => historyChanges(folders.history(userId), options),
    },
    async start(start, { maxBytes }) {
      const lease = owner.lease();
      const { id, session, user = DEFAULT_USER } = start;
      const setStatus = addToHistory(folders.history(user), { id, session });
      const options = { maxBytes, durability, key: journalKey(folders.journalKey), checkOwner: lease.check };
      const journal = openJournal(folders.executions, { owner: lease.id, ...start }, options);
      own.add(id, lease);
      return { lease: leaseOf(lease), journal: settled(journal, parts, { ...start, setStatus, isContinued: false }) };
    },
    async acquire(seen) {
      const claim = claimOf(seen, claims, owner);
      return claim && claimed(claim, parts);
    },
    onLost: own.onLost,
    handOver: async () => owner.lease().release(),
    requestCancel: requests.add,
    onCancelRequest(cancel) {
      cancels.add(cancel);
      return () => void cancels.delete(cancel);
    },
    async ends(id, part) {
      const ends = await readJournalEnds(journals, id, part);
      if (!ends) return undefined;
      const { start, end, suspension } = ends;
      return { ...ends, isRunning: !end && !suspension && start !== undefined && isRunning(dataDir, start) };
    },
    content: (id) => readJournal(folders.executions, id),
    findSuspended: (known) => findSuspendedFiles({ dataDir, journals, decisions }, known),
    openIndex: () => fileIndex(dataDir, journals),
    bytes: async (userId) => {
      const history = await readHistory(folders.history(userId));
      return measureExecutions(
        folders.executions,
        history.map(({ id }) => id),
      );
    },
    async remove(id, userId) {
      await decisions.remove([id]);
      return removeExecution(folders, id, userId);
    },
    purge: (options) => purgeExecutions(dataDir, decisions, options),
    async [Symbol.asyncDispose]() {
      owner[Symbol.dispose]();
      await bus[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function* listHistory(folder: string, { before, sessionId, status }: HistoryFilter = {}) {
  for (const entry of await readHistory(folder)) {
    if (before !== undefined && entry.key >= before) continue;
    if (sessionId !== undefined && entry.session !== sessionId) continue;
    // The file of an execution keeps its name if the status could not be set: the journal has the status too.
    if (status === undefined || entry.status === undefined || entry.status === status) yield entry;
  }
}

/** The executions of this process, with the leases under which they run. */
interface OwnExecutions {
  add(id: string, lease: ProcessLease): void;
  remove(id: string): void;
  onLost(listener: (id: string) => void): () => void;
}

function ownExecutions(owner: Owner): OwnExecutions {
  const leases = new Map<string, ProcessLease>();
  const listeners = new Set<(id: string) => void>();
  owner.onLost((lost) => {
    for (const [id, lease] of [...leases]) if (lease.id === lost) for (const listener of [...listeners]) listener(id);
  });
  return {
    add: (id, lease) => void leases.set(id, lease),
    remove: (id) => void leases.delete(id),
    onLost(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

interface Parts {
  readonly folders: DataFolder;
  readonly durability: Durability;
  readonly decisions: DecisionRows;
  readonly own: OwnExecutions;
}

function claimed(claim: OwnClaim, { folders, durability, decisions, own }: Parts): ExecutionClaim {
  const { lease } = claim;
  return {
    lease: leaseOf(lease, claim.release),
    async resume(recording, process, { maxBytes }) {
      const { start } = recording;
      const options = { maxBytes, durability, key: journalKey(folders.journalKey), checkOwner: lease.check };
      const journal = continueJournal(folders.executions, recording, { ...process, owner: lease.id }, options);
      const setStatus = continueInHistory(folders.history(start.user ?? DEFAULT_USER), start.id);
      own.add(start.id, lease);
      return settled(journal, { folders, durability, decisions, own }, { ...start, setStatus, isContinued: true });
    },
  };
}

function leaseOf({ isHeld, check }: ProcessLease, release: () => void = () => undefined): ExecutionLease {
  return { isHeld, check, confirm: async () => check(), release: async () => release() };
}

/** Takes the work of an execution over that waits, or whose owner has died. */
function claimOf(
  { start, owner: last, resumes, suspension }: Recording,
  claims: Claims,
  owner: Owner,
): OwnClaim | undefined {
  const { id } = start;
  const before = claims.find(id);
  if (before) return owner.isOwn(before.owner) ? undefined : claims.takeOver(before);
  if (isJournalOpen(id)) return undefined;
  const isFree = suspension !== undefined || last === undefined || owner.isOwn(last) || owner.end(last);
  return isFree ? claims.create(id, resumes + 1) : undefined;
}

interface Settling {
  readonly id: string;
  readonly dryRun?: true;
  readonly isContinued: boolean;
  readonly setStatus: (status: HistoryStatus) => void;
}

/** Returns a journal whose end and suspension set the status in the history. */
function settled(
  journal: Journal,
  { decisions, own }: Parts,
  { id, dryRun, setStatus, isContinued }: Settling,
): Journal {
  // Only a question has a decision.
  let mayBeDecided = isContinued;
  let removing: Promise<void> | undefined;
  return {
    ...journal,
    ask(question) {
      mayBeDecided = true;
      journal.ask(question);
    },
    close(status, more) {
      own.remove(id);
      journal.close(status, more);
      setStatus(endStatus(status, more?.limit));
      // The decision about a dry run comes after its end.
      if (mayBeDecided && !dryRun) removing = decisions.remove([id]).catch(() => undefined);
    },
    flushed: () => (removing ? journal.flushed().then(() => removing) : journal.flushed()),
    suspend(entry) {
      journal.suspend(entry);
      own.remove(id);
      setStatus('suspended');
    },
    abandon() {
      own.remove(id);
      journal.abandon();
    },
  };
}
