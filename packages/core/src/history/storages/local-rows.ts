import { type Database, escapedText, type Owner, ownerLives } from '@toolwright/storage/internal';
import type { HistoryStatus } from '../../journal/history.ts';
import { isJournalOpen } from '../../journal/journal.ts';

/** The changes of the row of an execution. */
export interface Settlement {
  /** Absent for an execution that goes on. */
  readonly status?: HistoryStatus | undefined;
  /** When it goes on without a decision, by the clock of the tables. */
  readonly wakeMs?: number | undefined;
  /** The lease of its process. Absent: nobody has it. */
  readonly owner?: string | undefined;
}

/** The rows of the executions of a data folder, whose owners have leases in the folder. */
export interface LocalRows {
  /** Adds an execution. Returns false if its id is taken. */
  add(execution: NewExecution, owner: string): Promise<boolean>;
  /** Changes the row after its journal, if the lease has it. Never rejects: a change that fails is made with the next search. */
  settle(id: string, lease: string, settlement: Settlement): Promise<void>;
  /** Makes the changes that have failed. */
  settleAgain(): Promise<void>;
  /** Takes an execution that is suspended or whose owner has died. Returns false if a living process has it, or another one was first. */
  take(id: string, lease: string, hasEnded: () => Promise<boolean>): Promise<boolean>;
  forget(id: string): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Returns whether a living process runs an execution. */
  isRunning(id: string): Promise<boolean>;
  /** Returns the executions of a lease that anyone has asked to cancel within the last minute. */
  cancelled(owner: string): Promise<readonly string[]>;
  /** Removes the ended and interrupted executions that were last used before a time. Returns their ids. */
  expired(ageMs: number): Promise<readonly string[]>;
}

interface NewExecution {
  readonly id: string;
  readonly user: string;
  readonly session?: string | undefined;
  readonly dryRun?: true | undefined;
}

const ADD = `insert into toolwright.executions (id, user_id, session, started_ms, dry_run, owner, changed_at)
  values ($1, $2, $3, $4, $5, $6, clock_timestamp()) on conflict do nothing returning id`;
const SETTLE = `update toolwright.executions set status = $2, wake_at = to_timestamp($3::float8 / 1000), owner = $4,
  changed_at = clock_timestamp(), cancel_at = null where id = $1 and owner = $5`;
const FIND = `select owner, status, ${ownerLives('owner')} as lives from toolwright.executions where id = $1`;
const TAKE = `update toolwright.executions set owner = $2 where id = $1 and owner is not distinct from $3 and status is not distinct from $4
  returning id`;
const FORGET = 'delete from toolwright.executions where id = $1';
/** Asks the owner of an execution to cancel it. */
export const CANCEL = 'update toolwright.executions set cancel_at = clock_timestamp() where id = $1 and status is null';
const CANCELLED = `select id from toolwright.executions where status is null and owner = $1 and cancel_at > clock_timestamp() - $2 * interval '1 millisecond'`;
const EXPIRED = `select id from toolwright.executions
  where changed_at < clock_timestamp() - $1 * interval '1 millisecond' and status is distinct from 'suspended'
    and not ${ownerLives('owner')}`;
/** Milliseconds after which a request to cancel holds no more. */
const REQUEST_MS = 60_000;

/** Opens the rows. With `isFlushed`, each change survives a power cut. */
export function localRows(database: Database, owner: Owner, isFlushed: boolean): LocalRows {
  const failed = new Map<string, readonly [lease: string, settlement: Settlement]>();
  const write = (sql: string, values: Parameters<Database['write']>[1]) => database.write(sql, values, { isFlushed });
  const settle: LocalRows['settle'] = async (id, lease, settlement) => {
    failed.delete(id);
    const { status = null, wakeMs = null, owner: own = null } = settlement;
    await write(SETTLE, [id, status, wakeMs, own, lease]).catch(() => failed.set(id, [lease, settlement]));
  };
  const settleAgain = async () => {
    for (const [id, [lease, settlement]] of [...failed]) await settle(id, lease, settlement);
  };
  return {
    async add({ id, user, session, dryRun = false }, own) {
      const values = [
        id,
        escapedText(user),
        session === undefined ? null : escapedText(session),
        Date.now(),
        dryRun,
        own,
      ];
      return (await write(ADD, values)).length > 0;
    },
    settle,
    settleAgain,
    async take(id, lease, hasEnded) {
      await settleAgain();
      const [row] = await database.read(FIND, [id]);
      if (!row || isJournalOpen(id)) return false;
      const [last, status] = [row.owner as string | null, row.status as string | null];
      if (last !== null && (owner.isOwn(last) || !(await owner.end(last)))) return false;
      // The journal decides: a power cut may have taken its end.
      if (status !== null && status !== 'suspended' && (await hasEnded())) return false;
      return (await write(TAKE, [id, lease, last, status])).length > 0;
    },
    forget: async (id) => void (await write(FORGET, [id])),
    cancel: async (id) => void (await write(CANCEL, [id])),
    isRunning: async (id) => Boolean((await database.read(FIND, [id]))[0]?.lives),
    cancelled: async (own) => (await database.read(CANCELLED, [own, REQUEST_MS])).map(({ id }) => String(id)),
    expired: async (ageMs) => (await database.read(EXPIRED, [ageMs])).map(({ id }) => String(id)),
  };
}
