import { createHash } from 'node:crypto';
import {
  databaseClock,
  leasedRows,
  openPostgres,
  openValue,
  type Postgres,
  type PostgresOptions,
  type Row,
  sealValue,
  unescapedText,
} from '@toolwright/core/internal';
import type { Submission, WorkOutcome, WorkQueue, WorkState } from './queue.ts';
import {
  type ClaimedWork,
  type HeldWork,
  type StoredWork,
  WORK_LEASE_MS,
  WORK_RENEW_MS,
  type WorkKind,
} from './queue.ts';
import * as sql from './statements.ts';

export interface PostgresQueueOptions extends PostgresOptions {
  /** The key of journals, which seals requests and results. Only processes with this key run the work. */
  readonly key: Buffer;
  /** Milliseconds that a lease lasts. Default: {@link WORK_LEASE_MS}. */
  readonly leaseMs?: number;
}

/** Milliseconds that the lead lasts without a renewal. */
const LEAD_MS = 5_000;
const KEY_ID_BYTES = 8;
const LEASED = {
  name: 'work',
  owner: 'worker',
  wanted: 'is_cancelled',
  changes: ', renewed_at = clock_timestamp()',
  where: `and state = 'running'`,
};
const MOST_REVIVED = 1_000;
const MOST_PURGED = 1_000;
const MOST_UNQUEUED = 100;

/** Opens the queue in the database of a cluster (PostgreSQL 14 or later). It connects with its first use. Needs the package `pg`. */
export function postgresQueue({ key, leaseMs = WORK_LEASE_MS, ...options }: PostgresQueueOptions): WorkQueue {
  const database = openPostgres(options);
  const { read, write } = database;
  const access: DatabaseAccess = {
    read,
    write,
    leaseMs,
    keyId: createHash('sha256').update('work').update(key).digest().subarray(0, KEY_ID_BYTES),
    seal: (id, part, value) => sealValue(key, [id, 0, `work ${part}`], { value }),
    open: (id, part, sealed) => Object(openValue(key, [id, 0, `work ${part}`], String(sealed))).value,
    call: async (...query) => (await write(...query))[0]?.result,
  };
  return {
    name: 'postgres',
    leftMs: (timeMs) => timeMs - databaseClock(database.url).now(),
    ...callerMethods(access),
    ...workerMethods(access),
    ...renewals(database, leaseMs),
    ...clusterMethods(access),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

interface DatabaseAccess extends Pick<Postgres, 'read' | 'write'> {
  readonly leaseMs: number;
  readonly keyId: Buffer;
  readonly seal: (id: string, part: Part, value: unknown) => string;
  readonly open: (id: string, part: Part, sealed: unknown) => unknown;
  /** Calls a function of the database. */
  readonly call: (...query: Parameters<Postgres['write']>) => Promise<unknown>;
}

function callerMethods({
  read,
  write,
  keyId,
  seal,
  open,
  call,
}: DatabaseAccess): Pick<WorkQueue, 'submit' | 'wake' | 'cancel' | 'reopen' | 'outcomes' | 'find' | 'remove'> {
  const outcomeOf = ({ id, state, is_cancelled, asked, result }: Row): WorkOutcome => ({
    id: String(id),
    state: state as WorkState,
    isCancelled: is_cancelled === true,
    asked: Number(asked),
    result: result === null ? undefined : open(String(id), 'result', result),
  });
  return {
    async submit({ id, kind, user, session, priority = 0, request, delayMs = 0 }) {
      const place = [bytes(user), sessionKey(kind, user, session), priority];
      return (await call(sql.SUBMIT, [id, kind, keyId, ...place, seal(id, 'request', request), delayMs])) === true;
    },
    wake: async (id) => ((await call(sql.WAKE, [id])) ?? undefined) as WorkState | undefined,
    cancel: async (id, user) =>
      ((await call(sql.CANCEL, [id, bytes(user)])) ?? undefined) as WorkState | 'cancelled' | undefined,
    async reopen(id, user, request, priority = 0) {
      const sealed = seal(id, 'request', request);
      return ((await call(sql.REOPEN, [id, bytes(user), keyId, sealed, priority])) ?? undefined) as
        | WorkState
        | undefined;
    },
    outcomes: async (ids) => (ids.length === 0 ? [] : (await read(sql.OUTCOMES, [ids])).map(outcomeOf)),
    async find(id, user): Promise<StoredWork | undefined> {
      const [row] = await read(sql.FIND, [id, bytes(user)]);
      return (
        row && {
          ...outcomeOf(row),
          request: open(id, 'request', row.request),
          submittedAt: timeOf(row.submitted_at),
          endedAt: row.ended_at === null ? undefined : timeOf(row.ended_at),
        }
      );
    },
    async remove(id, user) {
      await write(sql.REMOVE, [id, bytes(user)]);
    },
  };
}

function renewals(database: Postgres, leaseMs: number): Pick<WorkQueue, 'renew' | 'keep'> {
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

function workerMethods({
  write,
  keyId,
  leaseMs,
  seal,
  open,
  call,
}: DatabaseAccess): Pick<WorkQueue, 'claim' | 'finish' | 'suspend' | 'release' | 'ask'> {
  const leave = async ({ id, worker, fence }: HeldWork, { next, delayMs = 0, result, isOrderly = true }: Leaving) => {
    const sealed = result === undefined ? null : seal(id, 'result', result);
    const state = await call(sql.LEAVE, [id, worker, fence, next, delayMs, sealed, isOrderly]);
    return (state ?? undefined) as WorkState | undefined;
  };
  return {
    async claim({ worker, kinds, most, perUser }) {
      const rows = await write(sql.CLAIM, [worker, keyId, kinds, most, perUser, leaseMs]);
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
      await write(sql.ASK, [id, worker, fence]);
    },
  };
}

function clusterMethods({ read, write, call }: DatabaseAccess): Pick<WorkQueue, 'reconcile' | 'counts'> {
  return {
    async reconcile(process, most) {
      if ((await call(sql.LEAD, [process, LEAD_MS])) !== true) return undefined;
      const revived = Number(await call(sql.REVIVE, [MOST_REVIVED]));
      const ready = await read(sql.READY, [most]);
      const unqueued = (await read(sql.UNQUEUED, [MOST_UNQUEUED])).map(({ id, user_id, session }) => ({
        id: String(id),
        user: unescapedText(user_id),
        session: session === null ? undefined : String(session),
      }));
      await write(sql.PURGE, [MOST_PURGED]);
      return { revived, ready: ready.map(({ id }) => String(id)), unqueued };
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

type Part = 'request' | 'result';

interface Leaving {
  readonly next: WorkState;
  readonly delayMs?: number;
  readonly result?: unknown;
  readonly isOrderly?: boolean;
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
    isCancelled: is_cancelled === true,
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

function timeOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
