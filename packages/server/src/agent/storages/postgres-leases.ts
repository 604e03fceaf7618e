import { randomUUID } from 'node:crypto';
import type { Bus, Postgres } from '@toolwright/core/internal';
import type { OwnerListeners } from './storage.ts';

export interface LeasesOptions {
  readonly database: Postgres;
  readonly bus: Bus;
  /** Milliseconds without a renewal after which another owner may acquire a task. */
  readonly ttlMs: number;
  /** Milliseconds between two renewals. */
  readonly renewMs: number;
}

/** The lease of this process on one task. */
export interface PostgresLease {
  readonly id: string;
  /** The fencing number. */
  readonly fence: string;
  listen(listeners: OwnerListeners): void;
  /** Returns whether nobody else can have acquired the task, by the clock of this process. */
  isHeld(): boolean;
  /** Ends the lease here, without a change of the database. */
  end(): void;
}

/** The leases of one owner. */
export interface PostgresLeases {
  readonly owner: string;
  /** Keeps a lease that was acquired by a statement, which began at `since` on the clock of `performance.now()`. */
  add(id: string, fence: string, since: number): PostgresLease;
  /** Renews all leases, and receives requests to cancel their tasks. */
  renew(): Promise<void>;
  /** Ends the renewals. */
  close(): void;
}

interface HeldLease {
  readonly lease: PostgresLease;
  listeners: OwnerListeners | undefined;
  renewedAt: number;
}

/** The topic of requests to cancel a task. */
export const CANCEL_TOPIC = 'task-cancel';

const RENEW = `update toolwright.tasks set expires_at = clock_timestamp() + $2 * interval '1 millisecond'
  where owner = $1 returning id::text, cancel_requested`;

/** Creates the leases of one owner. One statement renews all of them. They use the clock of the database. */
export function postgresLeases({ database, bus, ttlMs, renewMs }: LeasesOptions): PostgresLeases {
  const owner = randomUUID();
  const leases = new Map<string, HeldLease>();
  const renew = async () => {
    if (leases.size === 0) return;
    const since = performance.now();
    const before = [...leases.values()];
    const rows = await database.write(RENEW, [owner, ttlMs]);
    const isCancelled = new Map(rows.map((row) => [String(row.id), row.cancel_requested === true]));
    for (const held of before) {
      const { id, end } = held.lease;
      if (leases.get(id) !== held) continue;
      if (isCancelled.has(id)) held.renewedAt = since;
      else end();
      if (!isCancelled.has(id)) held.listeners?.lost();
      if (isCancelled.get(id)) held.listeners?.cancelRequested();
    }
  };
  const timer = setInterval(() => void renew().catch(() => undefined), renewMs).unref();
  const endRequests = bus.subscribe(CANCEL_TOPIC, (id) => leases.get(id)?.listeners?.cancelRequested());
  return {
    owner,
    renew,
    add(id, fence, since) {
      const lease: PostgresLease = {
        id,
        fence,
        listen(listeners) {
          held.listeners = listeners;
        },
        isHeld: () => leases.get(id) === held && performance.now() - held.renewedAt < ttlMs,
        end() {
          if (leases.get(id) === held) leases.delete(id);
        },
      };
      const held: HeldLease = { lease, listeners: undefined, renewedAt: since };
      leases.set(id, held);
      return lease;
    },
    close() {
      clearInterval(timer);
      endRequests();
    },
  };
}
