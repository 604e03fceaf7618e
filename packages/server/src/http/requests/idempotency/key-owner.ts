import { randomUUID } from 'node:crypto';
import { type Store, ToolwrightError } from '@toolwright/core';
import {
  databaseOf,
  folderIdentity,
  leasedBy,
  monotonicMs,
  openOwner,
  openRowLeases,
  type RowLease,
  type RowLeases,
} from '@toolwright/storage/internal';

/** This process as the owner of idempotency keys. */
export interface KeyOwner {
  /** The place whose processes can judge each other's leases. */
  folder(): string;
  /** Returns the lease of this process: a new one after a loss. `check` raises `OWNERSHIP_LOST` once it may be lost. */
  lease(): KeyLease | Promise<KeyLease>;
  /** Returns whether this process has a lease, or has needed none. Takes another one after a loss. */
  isReady(): boolean;
  isOwn(lease: string): boolean;
  /** Returns whether the process of a lease has lost it for ever. */
  end(lease: string): boolean | Promise<boolean>;
  close(): Promise<void>;
}

export interface KeyLease {
  readonly id: string;
  check(): void;
}

/** Milliseconds after which the lease of a dead process ends. */
export const KEY_LEASE_MS = 15_000;
const ALIVE = 'alive';
/** Renewals within the time of a lease. */
const RENEWALS = 5;
/** Renews the namespaces that are the leases of processes. */
const RENEW = `select id::text, '0' as fence, false as wanted from unnest($3::uuid[]) as own (id)
  where $1::uuid is not null and $4::boolean is not null
    and toolwright.touch_namespace(convert_to('process:' || id, 'UTF8'), $2, null)`;

/** An owner whose store no other process has. */
export function onlyOwner(): KeyOwner {
  const id = randomUUID();
  const lease = { id, check: () => undefined };
  return {
    folder: () => id,
    lease: () => lease,
    isReady: () => true,
    isOwn: () => true,
    end: () => false,
    close: async () => undefined,
  };
}

/** An owner among the processes of one data folder. */
export function folderOwner(dataDir: string): KeyOwner {
  const owner = openOwner(dataDir);
  let folder: string | undefined;
  return {
    folder() {
      folder ??= folderIdentity(dataDir);
      return folder;
    },
    lease: owner.lease,
    // The check of the data folder finds out whether a lease can be had.
    isReady: () => true,
    isOwn: owner.isOwn,
    end: owner.end,
    close: async () => owner[Symbol.asyncDispose](),
  };
}

/**
 * An owner among the processes of a cluster. Leases end by the clock of the store, and an ended one never returns: the next use takes
 * another one.
 */
export function storedOwner(store: Store, leaseMs: number = KEY_LEASE_MS): KeyOwner {
  const leases = processLeases(store, leaseMs);
  let current: RowLease | undefined;
  let opening: Promise<RowLease> | undefined;
  async function open(): Promise<RowLease> {
    current?.end();
    const id = randomUUID();
    const sinceMs = monotonicMs();
    await store.put(spaceOf(id), [{ key: ALIVE, value: '' }], { idleMs: leaseMs });
    current = leases.add({ id, fence: '0', sinceMs });
    return current;
  }
  async function take(): Promise<KeyLease> {
    if (current?.isHeld()) return keyLease(current, leaseMs);
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return keyLease(await opening, leaseMs);
  }
  return {
    folder: () => 'cluster',
    lease: take,
    isReady() {
      if (current === undefined || current.isHeld()) return true;
      take().catch(() => undefined);
      return false;
    },
    isOwn: (other) => other === current?.id,
    async end(other) {
      const [alive] = await store.get(spaceOf(other), [ALIVE]);
      return alive === undefined;
    },
    close: leases.close,
  };
}

/** Opens the leases of this process in a store, whose clock ends them. In a database, another thread renews them. */
function processLeases(store: Store, ttlMs: number): RowLeases {
  const database = databaseOf(store);
  const times = { ttlMs, everyMs: ttlMs / RENEWALS };
  if (database) return openRowLeases(leasedBy(database, RENEW, times));
  const touch = async (id: string) =>
    (await store.touch(spaceOf(id), { idleMs: ttlMs })) ? [{ id, fence: '0', isWanted: false }] : [];
  return openRowLeases({ ...times, renew: async (_owner, ids) => (await Promise.all(ids.map(touch))).flat() });
}

function spaceOf(lease: string): string {
  return `process:${lease}`;
}

function keyLease({ id, isHeld }: RowLease, leaseMs: number): KeyLease {
  return {
    id,
    check() {
      if (isHeld()) return;
      const message = `This process could not renew its lease for ${leaseMs} ms, so another one may work on the request. Retry with the same Idempotency-Key.`;
      throw new ToolwrightError('OWNERSHIP_LOST', message);
    },
  };
}
