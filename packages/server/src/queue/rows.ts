import { createHash } from 'node:crypto';
import { openValue, sealValue } from '@toolwright/core/internal';
import {
  type Database,
  databaseClock,
  leasedRows,
  type Row,
  type SqlValue,
  unescapedText,
} from '@toolwright/storage/internal';
import { changeOne, claimWork, revive } from './claims.ts';
import {
  type ClaimedWork,
  type HeldWork,
  type StoredWork,
  type Submission,
  type UnqueuedExecution,
  WORK_LEASE_MS,
  WORK_RENEW_MS,
  type WorkKind,
  type WorkOutcome,
  type WorkQueue,
  type WorkState,
} from './queue.ts';
import * as sql from './statements.ts';

export interface RowQueueOptions {
  /** The tables of a data folder or of a cluster. The queue closes it. */
  readonly database: Database;
  /** The key of journals, which seals requests and results. Only processes with this key run the work. */
  readonly key: Buffer;
  /** Milliseconds that a lease lasts. Default: {@link WORK_LEASE_MS}. */
  readonly leaseMs?: number;
}

/** Milliseconds that the lead lasts without a renewal. */
const LEAD_MS = 3_000;
const KEY_ID_BYTES = 8;
const LEASED = {
  name: 'work',
  owner: 'worker',
  wanted: 'is_cancelled',
  changes: ', renewed_at = clock_timestamp()',
  where: `and state = 'running'`,
};
/** Others wait for the locks of a user: PostgreSQL takes them from a stopped process. */
const BRIEF = { longestPauseMs: 2_000 };
const MOST_REVIVED = 1_000;
const MOST_PURGED = 1_000;
const MOST_UNQUEUED = 100;

/**
 * Opens the queue in the tables of a data folder or of a cluster. The row of a work decides. A row of its user has the numbers of ready and
 * running works, so that a claim does not count.
 */
export function rowQueue({ database, key, leaseMs = WORK_LEASE_MS }: RowQueueOptions): WorkQueue {
  const parts: QueueParts = {
    database,
    leaseMs,
    keyId: createHash('sha256').update('work').update(key).digest().subarray(0, KEY_ID_BYTES),
    seal: (id, part, value) => sealValue(key, [id, 0, `work ${part}`], { value }),
    open: (id, part, sealed) => Object(openValue(key, [id, 0, `work ${part}`], String(sealed))).value,
  };
  return {
    name: database.engine,
    leftMs: (timeMs) => timeMs - databaseClock(database.url).now(),
    ...submissions(parts),
    ...changes(parts),
    ...readers(parts),
    ...workerMethods(parts),
    ...renewals(database, leaseMs),
    ...clusterMethods(database),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

interface QueueParts {
  readonly database: Database;
  readonly leaseMs: number;
  readonly keyId: Buffer;
  readonly seal: (id: string, part: Part, value: unknown) => string;
  readonly open: (id: string, part: Part, sealed: unknown) => unknown;
}

type Part = 'request' | 'result';

function submissions({ database, keyId, seal }: QueueParts): Pick<WorkQueue, 'submit' | 'remove'> {
  return {
    async submit({ id, kind, user, session, priority = 0, request, delayMs = 0 }) {
      const place = [bytes(user), sessionKey(kind, user, session), priority];
      const values = [id, kind, keyId, ...place, seal(id, 'request', request), delayMs];
      return (await changeOne(database, sql.SUBMIT, values)) !== undefined;
    },
    async remove(id, user) {
      await database.write(sql.REMOVE, [id, bytes(user)]);
    },
  };
}

/** A work whose row and user are locked. */
interface Locked {
  readonly state: WorkState;
  readonly hasBegun: boolean;
  /** Changes the row, and counts it. */
  change(statement: string, more?: { readonly values?: readonly SqlValue[]; readonly ready?: number }): Promise<void>;
}

/** Changes a work. Returns `undefined` if there is none, or another user has it. */
function changeWork<T>(
  { transaction }: Database,
  [id, user]: readonly [id: string, user?: string],
  work: (locked: Locked) => Promise<T>,
): Promise<T | undefined> {
  return transaction(async (query) => {
    await query(sql.LOCK_USER, [id]);
    const [row] = await query(sql.LOCK, [id, user === undefined ? null : bytes(user)]);
    if (!row) return undefined;
    return work({
      state: row.state as WorkState,
      hasBegun: Number(row.fence) > 0,
      async change(statement, { values = [], ready = 0 } = {}) {
        await query(statement, [id, ...values]);
        if (ready !== 0) await query(sql.COUNT, [row.user_id as Buffer, ready, 0]);
      },
    });
  }, BRIEF);
}

function changes({ database, keyId, seal }: QueueParts): Pick<WorkQueue, 'wake' | 'cancel' | 'reopen'> {
  return {
    wake: (id) =>
      changeWork(database, [id], async ({ state, change }) => {
        if (state === 'waiting') await change(sql.MAKE_READY, { ready: 1 });
        if (state === 'running') await change(sql.WAKE_LATER);
        return state;
      }),
    cancel: (id, user) =>
      changeWork(database, [id, user], async ({ state, hasBegun, change }) => {
        if (state === 'ended') return state;
        if (!hasBegun) {
          await change(sql.END_CANCELLED, { ready: state === 'ready' ? -1 : 0 });
          return 'cancelled';
        }
        await change(sql.REQUEST_CANCEL);
        if (state === 'waiting') await change(sql.MAKE_READY, { ready: 1 });
        return state;
      }),
    reopen: (id, user, request, priority = 0) =>
      changeWork(database, [id, user], async ({ state, change }) => {
        const values = [keyId, seal(id, 'request', request), priority];
        if (state === 'waiting' || state === 'ended') await change(sql.REOPEN, { values, ready: 1 });
        return state;
      }),
  };
}

function readers({ database: { read }, open }: QueueParts): Pick<WorkQueue, 'outcomes' | 'find'> {
  const outcomeOf = ({ id, state, is_cancelled, asked, result }: Row): WorkOutcome => ({
    id: String(id),
    state: state as WorkState,
    isCancelled: Boolean(is_cancelled),
    asked: Number(asked),
    result: result === null ? undefined : open(String(id), 'result', result),
  });
  return {
    outcomes: async (ids) => (ids.length === 0 ? [] : (await read(sql.OUTCOMES, [ids])).map(outcomeOf)),
    async find(id, user): Promise<StoredWork | undefined> {
      const [row] = await read(sql.FIND, [id, bytes(user)]);
      return (
        row && {
          ...outcomeOf(row),
          request: open(id, 'request', row.request),
          submittedAt: timeOf(row.submitted_ms),
          endedAt: row.ended_ms === null ? undefined : timeOf(row.ended_ms),
        }
      );
    },
  };
}

function renewals(database: Database, leaseMs: number): Pick<WorkQueue, 'renew' | 'keep'> {
  const { renew, keep } = leasedRows(database, LEASED, { ttlMs: leaseMs, everyMs: WORK_RENEW_MS });
  return {
    renew: async (worker, ids) =>
      (await renew(worker, ids, false)).map(({ id, fence, isWanted }) => ({
        id,
        fence: Number(fence),
        isCancelled: isWanted,
      })),
    keep,
  };
}

interface Leaving {
  readonly next: WorkState;
  readonly delayMs?: number;
  readonly result?: unknown;
  readonly isOrderly?: boolean;
}

function workerMethods({
  database,
  keyId,
  leaseMs,
  seal,
  open,
}: QueueParts): Pick<WorkQueue, 'claim' | 'finish' | 'suspend' | 'release' | 'ask'> {
  const leave = async ({ id, worker, fence }: HeldWork, { next, delayMs = 0, result, isOrderly = true }: Leaving) => {
    const sealed = result === undefined ? null : seal(id, 'result', result);
    const left = await changeOne(database, sql.LEAVE, [id, worker, fence, next, delayMs, sealed, isOrderly]);
    return left?.state as WorkState | undefined;
  };
  return {
    async claim({ worker, ...options }) {
      const rows = await claimWork(database, { ...options, worker, keyId, leaseMs });
      return rows.map((row) =>
        claimedOf(
          row,
          worker,
          readable(() => open(String(row.id), 'request', row.request)),
        ),
      );
    },
    finish: async (work, result) => (await leave(work, { next: 'ended', result })) !== undefined,
    suspend: (work, { delayMs, result }) => leave(work, { next: 'waiting', delayMs, result }),
    async release(work, { delayMs = 0, isLost = false } = {}) {
      const next = delayMs > 0 ? 'waiting' : 'ready';
      return (await leave(work, { next, delayMs, isOrderly: !isLost })) !== undefined;
    },
    async ask({ id, worker, fence }) {
      await database.write(sql.ASK, [id, worker, fence]);
    },
  };
}

function clusterMethods(database: Database): Pick<WorkQueue, 'reconcile' | 'counts'> {
  const { engine, read, write, transaction } = database;
  const leads = async (process: string) =>
    (await read(sql.OTHER_LEADER, [process])).length === 0 && (await write(sql.LEAD, [process, LEAD_MS])).length > 0;
  const purge = async () => {
    await write(sql.PURGE, [MOST_PURGED]);
    await transaction(async (query) => {
      for (const { user_id } of await query(sql.IDLE_USERS, [MOST_PURGED]))
        await query(sql.FORGET_USER, [user_id as Buffer]);
    }, BRIEF);
  };
  return {
    async reconcile(process, most) {
      if (!(await leads(process))) return undefined;
      const revived = await revive(database, MOST_REVIVED);
      const ready = await read(sql.READY, [most]);
      // A data folder continues its executions without a queue.
      const unqueued = engine === 'postgres' ? await read(sql.UNQUEUED, [MOST_UNQUEUED]) : [];
      await purge();
      return { revived, ready: ready.map(({ id }) => String(id)), unqueued: unqueued.map(unqueuedOf) };
    },
    async counts() {
      const [row = {}] = await read(sql.COUNTS);
      const { ready, running, waiting, oldest_ready_ms, lease_age_ms } = row;
      return {
        ready: Number(ready),
        running: Number(running),
        waiting: Number(waiting),
        oldestReadyMs: Math.max(0, Number(oldest_ready_ms)),
        leaseAgeMs: Math.max(0, Number(lease_age_ms)),
      };
    },
  };
}

function unqueuedOf({ id, user_id, session }: Row): UnqueuedExecution {
  return {
    id: String(id),
    user: unescapedText(user_id),
    session: session === null ? undefined : String(session),
  };
}

function claimedOf(row: Row, worker: string, request: unknown): ClaimedWork {
  const { id, kind, fence, attempts, is_cancelled, waited_ms, lost_ms } = row;
  return {
    id: String(id),
    worker,
    fence: Number(fence),
    kind: kind as WorkKind,
    request,
    attempts: Number(attempts),
    isCancelled: Boolean(is_cancelled),
    waitedMs: Math.max(0, Number(waited_ms)),
    lostMs: lost_ms === null ? undefined : Math.max(0, Number(lost_ms)),
  };
}

/** Returns `undefined` for a changed row: its claim must not fail with all others. */
function readable(open: () => unknown): unknown {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** Names of users are bytes: any text is allowed. */
function bytes(text: string): Buffer {
  return Buffer.from(text);
}

/** Returns the digest of a session: ids from clients have any length. An agent task and its executions may share a session. */
function sessionKey(kind: WorkKind, user: string, session: Submission['session']): Buffer | null {
  if (session === undefined) return null;
  return createHash('sha256')
    .update(JSON.stringify([kind, user, session]))
    .digest();
}

function timeOf(ms: unknown): string {
  return new Date(Math.round(Number(ms))).toISOString();
}
