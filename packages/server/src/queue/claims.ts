import type { Database, Query, Row } from '@toolwright/storage/internal';
import type { ClaimOptions } from './queue.ts';
import * as sql from './statements.ts';

/** Others wait for the locks of a user: PostgreSQL takes them from a stopped process. */
export const BRIEF = { longestPauseMs: 2_000 };
const MOST_REVIVED = 100;

export interface Claims extends ClaimOptions {
  readonly keyId: Buffer;
  readonly leaseMs: number;
}

/**
 * Claims ready work: of users with the fewest running works first, then of those that waited longest, then by priority and age. With locks of
 * its own, a claim waits for no other one: so there is no deadlock. The disk is not waited for: a crash of the database may forget a claim, and
 * the work is ready again. A program sends nothing before the commit of its journal's start, which is safe only together with this one.
 */
export function claimWork(
  database: Database,
  { most, perUser, kinds, keyId, worker, leaseMs }: Claims,
): Promise<Row[]> {
  const own = [keyId, kinds] as const;
  return database.transaction(
    async (query) => {
      const claimed: Row[] = [];
      let hasLocks = (await revive(query, MOST_REVIVED)) > 0;
      let lockedUser: Buffer | undefined;
      while (claimed.length < most) {
        const [turn] = await query(sql.TAKE_TURN, [...own, perUser]);
        if (!turn) {
          // Other processes may have locked all users with ready work. Without a lock of our own, waiting for one of them is safe.
          if (hasLocks || (await query(sql.WAIT_FOR_TURN, [...own, perUser])).length === 0) break;
          hasLocks = true;
          continue;
        }
        hasLocks = true;
        const user = turn.user_id as Buffer;
        // A statement of its own: it also sees work that was claimed until the lock of the user was granted.
        const [work] = await query(sql.CLAIM, [...own, user, worker, leaseMs]);
        if (work) claimed.push(work);
        else {
          await query(sql.COUNT, [user, 1, -1]);
          // Another process has locked the rows of its works.
          if (lockedUser?.equals(user)) break;
          lockedUser = user;
        }
      }
      return claimed;
    },
    { ...BRIEF, isLosable: true },
  );
}

/** Makes work ready whose lease has expired, or whose time has come. Waits for no lock: the next call finds the rest. Returns its number. */
export async function revive(query: Query, most: number): Promise<number> {
  const idsOf = new Map<string, { readonly user: Buffer; readonly ids: string[] }>();
  for (const { id, user_id } of await query(sql.REVIVABLE, [most])) {
    const user = user_id as Buffer;
    const found = idsOf.get(user.toString('hex')) ?? { user, ids: [] };
    idsOf.set(user.toString('hex'), found);
    found.ids.push(String(id));
  }
  let revived = 0;
  for (const { user, ids } of idsOf.values()) {
    if ((await query(sql.LOCK_FREE_USER, [user])).length === 0) continue;
    const rows = await query(sql.REVIVE, [ids]);
    const lost = rows.filter(({ was_running }) => Boolean(was_running)).length;
    if (rows.length > 0) await query(sql.COUNT, [user, rows.length, -lost]);
    revived += rows.length;
  }
  return revived;
}
