import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { monotonicMs, thisMachine } from '../clocks/machine-clock.ts';
import { STATE_FILE } from '../data-folder/data-folder.ts';
import { createOnce, namesIn, readIfPresent } from '../data-folder/own-files.ts';
import type { Database } from '../database.ts';
import { ToolwrightError } from '../errors.ts';
import { openSqlite } from '../sqlite/database.ts';
import { hasProcessEnded, processName } from './process-name.ts';
import { leasedRows, openRowLeases, type RowLease } from './row-leases.ts';

/** Milliseconds without a renewal after which a process that may live counts as dead, and others may take over its work. */
export const LEASE_TTL_MS = 10_000;
const BEAT_MS = 1_000;

// An expired lease stays so: others have reported the work of its process as interrupted.
const LEASED = { name: 'processes', owner: 'holder', wanted: 'false', where: 'and expires_at > clock_timestamp()' };
const ADD = `insert into toolwright.processes (id, holder, expires_at)
  values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')`;
const REMOVE = 'delete from toolwright.processes where id = $1';
const OLD = `delete from toolwright.processes where expires_at < clock_timestamp() - interval '1 day'`;
// A later time is that of a clock before a restart of the machine.
const LIVES = `p.expires_at > clock_timestamp() and p.expires_at <= clock_timestamp() + ${LEASE_TTL_MS}`;
const END = `delete from toolwright.processes as p where p.id = $1 and not (${LIVES})`;
const FIND = 'select id from toolwright.processes where id = $1';
const LIST = 'select id from toolwright.processes';
const LIVING = `select id from toolwright.processes p where ${LIVES}`;

/**
 * The lease of a process: its right to work in a data folder. All its executions and keys name it as their owner, so one renewal
 * covers all of them. An owner that was paused for the time to live has lost it.
 */
export interface ProcessLease {
  /** Unique for ever. After a loss, the process gets a lease with another id. */
  readonly id: string;
  /** Returns whether nobody else can have its work, by the clock of this process. */
  isHeld(): boolean;
  /** Raises `OWNERSHIP_LOST` without the lease. Call it before each effect. */
  check(): void;
  /** Returns whether `confirm` renews it. */
  isOld(): boolean;
  /** Renews an old lease first. Raises like `check`. */
  confirm(): Promise<void>;
}

/** This process as an owner of work in a data folder, and the other owners of that folder. */
export interface Owner extends AsyncDisposable {
  /** Returns the lease of this process. Takes one for the first work, and another one after a loss. */
  lease(): Promise<ProcessLease>;
  /** Gives the lease up: others can take over all of its work. */
  release(): Promise<void>;
  /** Returns whether a lease is that of this process. */
  isOwn(id: string): boolean;
  /** Makes sure that a dead owner stays dead, even if it was only paused. Returns false if it lives. Call it before a take-over. */
  end(id: string): Promise<boolean>;
  /** Ends the owners whose processes have ended on this machine, before their leases expire. */
  endDead(): Promise<void>;
  /** Calls a function when this process has lost a lease. Returns a function that ends this. */
  onLost(lost: (id: string) => void): () => void;
}

/** One owner for each data folder, so that a process has one lease there. */
const owners = new Map<string, { readonly owner: Owner; users: number }>();

/** Opens this process as an owner in a data folder. The last one to dispose it releases the lease. */
export function openOwner(dataDir: string): Owner {
  const path = resolve(join(dataDir, STATE_FILE));
  const shared = owners.get(path) ?? { owner: startOwner(openSqlite(path)), users: 0 };
  owners.set(path, shared);
  shared.users++;
  const ends: (() => void)[] = [];
  let isOpen = true;
  return {
    ...shared.owner,
    onLost(lost) {
      const end = shared.owner.onLost(lost);
      ends.push(end);
      return end;
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      isOpen = false;
      for (const end of ends) end();
      if (--shared.users > 0) return;
      owners.delete(path);
      await shared.owner[Symbol.asyncDispose]();
    },
  };
}

/** Starts a new owner, which closes the database. {@link openOwner} has one for the process; tests have several. */
export function startOwner(database: Database, ttlMs: number = LEASE_TTL_MS): Owner {
  const leases = openRowLeases(leasedRows(database, LEASED, { ttlMs, everyMs: BEAT_MS }));
  const losses = new Set<(id: string) => void>();
  let current: { readonly row: RowLease; readonly lease: ProcessLease } | undefined;
  let opening: Promise<ProcessLease> | undefined;
  const lose = (id: string) => {
    if (current?.row.id !== id) return;
    current.row.end();
    current = undefined;
    for (const report of [...losses]) report(id);
  };
  const open = async () => {
    if (current) lose(current.row.id);
    const id = `${processName()}.${randomUUID()}`;
    const sinceMs = monotonicMs();
    await database.write(OLD);
    await database.write(ADD, [id, leases.owner, ttlMs]);
    const row = leases.add({ id, fence: '1', sinceMs, onLost: () => lose(id) });
    current = { row, lease: leaseOf(row, ttlMs, leases.renew) };
    return current.lease;
  };
  const release = async () => {
    const id = current?.row.id;
    if (id === undefined) return;
    lose(id);
    // Without an answer, the lease expires.
    await database.write(REMOVE, [id]).catch(() => undefined);
  };
  return {
    async lease() {
      if (current?.row.isHeld()) return current.lease;
      opening ??= open().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    release,
    isOwn: (id) => current?.row.id === id,
    async end(id) {
      await database.write(hasProcessEnded(id) ? REMOVE : END, [id]);
      return (await database.read(FIND, [id])).length === 0;
    },
    async endDead() {
      const ids = (await database.read(LIST)).map(({ id }) => String(id));
      for (const id of ids) if (hasProcessEnded(id)) await database.write(REMOVE, [id]);
    },
    onLost(lost) {
      losses.add(lost);
      return () => void losses.delete(lost);
    },
    async [Symbol.asyncDispose]() {
      losses.clear();
      await release();
      await leases.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Returns SQL of SQLite: whether the process of a lease lives. */
export function ownerLives(id: string): string {
  return `exists (select 1 from toolwright.processes p where p.id = ${id} and ${LIVES})`;
}

/** Returns the number of processes that work in a data folder, and of those that may. */
export async function countLivingOwners(dataDir: string): Promise<number> {
  const path = join(dataDir, STATE_FILE);
  if (!existsSync(path)) return 0;
  await using database = openSqlite(path);
  return (await database.read(LIVING)).filter(({ id }) => !hasProcessEnded(String(id))).length;
}

/** Returns the error of a process that does not own its work any more. `lease` names its lease. */
export function ownershipLost(lease = `of the data folder within ${LEASE_TTL_MS} ms`): ToolwrightError {
  const message = `This process did not renew its lease ${lease}, so another process may have taken its work over. This process has stopped the work and writes nothing more. Read the execution by its id.`;
  return new ToolwrightError('OWNERSHIP_LOST', message);
}

function leaseOf({ id, isHeld, ageMs }: RowLease, ttlMs: number, renew: () => Promise<void>): ProcessLease {
  const check = () => {
    if (!isHeld()) throw ownershipLost();
  };
  // Half of the time allows for a slow effect after a confirmation.
  const isOld = () => ageMs() > ttlMs / 2;
  return {
    id,
    isHeld,
    check,
    isOld,
    async confirm() {
      // An expired lease stays so: its renewal would only wait for a locked file.
      check();
      if (isOld()) await renew();
      check();
    },
  };
}

/** The leases of a former version were files, whose names have their ends by the wall clock and by the clock of the machine. */
const FORMER_NAME = /^[\da-f-]{36}\.(\d+)\.(\d+)\.([\da-f]{8})$/;
const FORMER_TTL_MS = 10_000;

/** Raises `CONFIG_INVALID` while a process of a former version works in a data folder: it does not see the leases of this one. */
export function requireNoFormerProcess(dataDir: string): void {
  const lives = namesIn(join(dataDir, 'owners')).some((name) => {
    const [, wall, monotonic, machine] = FORMER_NAME.exec(name) ?? [];
    if (machine === undefined) return false;
    const leftMs = Number(monotonic) - monotonicMs();
    // A longer time is that of a machine that has started again.
    return machine === thisMachine() && leftMs <= FORMER_TTL_MS + 1 ? leftMs > 0 : Number(wall) > Date.now();
  });
  if (!lives) return;
  const message = `A process of a former version of Toolwright works in the data folder ${dataDir}. Stop it, wait 10 s, then start this version again.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/**
 * Returns the id of a data folder, and creates it at the first call. Servers with other data folders can share a store, so records
 * there name the folder. Only a process with the same folder can judge the owner of a record.
 */
export function folderIdentity(dataDir: string): string {
  const path = join(dataDir, 'owners', 'folder');
  const found = readIfPresent(path);
  if (found !== undefined) return found;
  const id = randomUUID();
  return createOnce(path, id) ? id : (readIfPresent(path) ?? id);
}
