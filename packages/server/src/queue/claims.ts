import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Row, SqlValue } from '@toolwright/storage/internal';
import type { ClaimOptions } from './queue.ts';
import * as sql from './statements.ts';

const MOST_REVIVED = 100;
/** Attempts of a claim while others have locked all users with ready work. Each attempt doubles the longest pause before the next one. */
const MOST_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 4;

export interface Claims extends ClaimOptions {
  readonly keyId: Buffer;
  readonly leaseMs: number;
}

/** Changes a work and the numbers of its user in one step. Returns the changed row, if any. */
export async function changeOne(
  database: Database,
  change: sql.Change,
  values: readonly SqlValue[],
): Promise<Row | undefined> {
  return (await changeAll(database, change, values)).find(isChanged);
}

/** Returns the changed rows. Without any, PostgreSQL returns a row without `user_id`. */
async function changeAll(
  { engine, write, transaction }: Database,
  { change, counted }: sql.Change,
  values: readonly SqlValue[],
): Promise<readonly Row[]> {
  if (engine === 'postgres') return write(counted, values);
  return transaction(async (query) => {
    const rows = await query(change, values);
    for (const { user_id, more_ready, more_running } of rows)
      await query(sql.COUNT, [user_id, more_ready, more_running] as SqlValue[]);
    return rows;
  });
}

function isChanged({ user_id }: Row): boolean {
  return user_id !== null;
}

/**
 * Claims ready work: of users with the fewest running works first, then of those that waited longest, then by priority and age. Without any,
 * it makes work ready whose lease has expired, or whose time has come. No claim waits for the lock of another one: many would wait for the
 * same user. It takes the next user, and tries again a little later when others have locked all of them.
 */
export async function claimWork(database: Database, options: Claims): Promise<readonly Row[]> {
  const { most, perUser, kinds, keyId } = options;
  for (let attempt = 0; most > 0 && attempt < MOST_ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (attempt - 1));
    const [found] = await database.read(sql.LOOK, [keyId, kinds, perUser]);
    if (!found?.is_claimable && !(found?.is_revivable && (await revive(database, MOST_REVIVED)) > 0)) return [];
    const claimed = await claimFree(database, options);
    if (claimed.length > 0) return claimed;
  }
  return [];
}

/** Claims work of users that no other process has locked. */
async function claimFree(database: Database, { most, perUser, kinds, keyId, worker, leaseMs }: Claims): Promise<Row[]> {
  const claimed: Row[] = [];
  const passed: Buffer[] = [];
  while (claimed.length < most) {
    const [row] = await changeAll(database, sql.CLAIM, [keyId, kinds, perUser, worker, leaseMs, passed]);
    if (row && isChanged(row)) claimed.push(row);
    else if (row?.turn) passed.push(row.turn as Buffer);
    else break;
  }
  return claimed;
}

/** Makes work ready whose lease has expired, or whose time has come. Returns its number. */
export async function revive(database: Database, most: number): Promise<number> {
  return (await changeAll(database, sql.REVIVE, [most])).filter(isChanged).length;
}
