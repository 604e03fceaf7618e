import type { Database, Query, Row, SqlValue } from '@toolwright/storage/internal';
import type { ClaimOptions } from './queue.ts';
import * as sql from './statements.ts';

/** Others wait for the locks of a user: PostgreSQL takes them from a stopped process. */
export const BRIEF = { longestPauseMs: 2_000 };
const MOST_REVIVED = 100;
const MOST_FAILURES = 4;

export interface Claims extends ClaimOptions {
  readonly keyId: Buffer;
  readonly leaseMs: number;
}

/** Changes a work and the numbers of its user in one step. Returns the changed row, if any. */
export async function changeOne(
  { engine, write, transaction }: Database,
  { change, counted }: sql.Change,
  values: readonly SqlValue[],
): Promise<Row | undefined> {
  if (engine === 'postgres') return (await write(counted, values))[0];
  return transaction(async (query) => {
    const [row] = await query(change, values);
    if (row) await query(sql.COUNT, [row.user_id, row.more_ready, row.more_running] as SqlValue[]);
    return row;
  });
}

/**
 * Claims ready work: of users with the fewest running works first, then of those that waited longest, then by priority and age. Before, it
 * makes work ready whose lease has expired, or whose time has come.
 */
export async function claimWork(database: Database, options: Claims): Promise<readonly Row[]> {
  const { most, perUser, kinds, keyId, worker, leaseMs } = options;
  const turn = [keyId, kinds, perUser];
  const claimed: Row[] = [];
  if (most <= 0) return claimed;
  const found = await database.read(sql.LOOK, [...turn, MOST_REVIVED]);
  if (found.some(({ id }) => id !== null)) await database.transaction((query) => reviveAll(query, found), BRIEF);
  if (found.length === 0) return claimed;
  for (let failures = 0; claimed.length < most && failures < MOST_FAILURES; ) {
    const work = await changeOne(database, sql.CLAIM, [...turn, worker, leaseMs]);
    if (work) {
      claimed.push(work);
      continue;
    }
    // Other processes may have locked all users with ready work. This one holds no lock: waiting for one of them is safe.
    const [next] = claimed.length === 0 ? await database.write(sql.WAIT_FOR_TURN, turn) : [];
    if (!next) break;
    // Another process has locked the rows of the user's works.
    if (failures++ > 0) await database.write(sql.PASS_TURN, [next.user_id as Buffer]);
  }
  return claimed;
}

/** Makes work ready whose lease has expired, or whose time has come. Waits for no lock: the next call finds the rest. Returns its number. */
export async function revive(query: Query, most: number): Promise<number> {
  return reviveAll(query, await query(sql.REVIVABLE, [most]));
}

async function reviveAll(query: Query, found: readonly Row[]): Promise<number> {
  const idsOf = new Map<string, { readonly user: Buffer; readonly ids: string[] }>();
  for (const { id, user_id } of found) {
    if (id === null) continue;
    const user = user_id as Buffer;
    const known = idsOf.get(user.toString('hex')) ?? { user, ids: [] };
    idsOf.set(user.toString('hex'), known);
    known.ids.push(String(id));
  }
  let revived = 0;
  for (const { user, ids } of idsOf.values()) {
    if ((await query(sql.LOCK_FREE_USER, [user])).length === 0) continue;
    // A statement of its own: it also sees changes until the lock of the user was granted.
    const rows = await query(sql.REVIVE, [ids]);
    const lost = rows.filter(({ was_running }) => Boolean(was_running)).length;
    if (rows.length > 0) await query(sql.COUNT, [user, rows.length, -lost]);
    revived += rows.length;
  }
  return revived;
}
