import { type Bus, type Database, leasedRows, openRowLeases, type RowLease } from '@toolwright/storage/internal';
import type { OwnerListeners } from './storage.ts';

export interface LeasesOptions {
  readonly database: Database;
  readonly bus: Bus;
  /** Milliseconds without a renewal after which another owner may acquire a task. */
  readonly ttlMs: number;
  /** Milliseconds between two renewals. */
  readonly renewMs: number;
}

/** The lease of this process on one task. */
export interface HeldTask extends RowLease {
  listen(listeners: OwnerListeners): void;
}

/** The leases of one owner. */
export interface TaskLeases {
  readonly owner: string;
  /** Keeps a lease that was acquired by a statement, which began at `sinceMs` on the clock of `monotonicMs()`. */
  add(id: string, fence: string, sinceMs: number): HeldTask;
  /** Ends the renewals. */
  close(): Promise<void>;
}

/** The topic of requests to cancel a task. */
export const CANCEL_TOPIC = 'task-cancel';

const LEASED = { name: 'tasks', owner: 'owner', wanted: 'cancel_requested' };

/** Creates the leases of one owner, which receives requests to cancel their tasks. */
export function taskLeases({ database, bus, ttlMs, renewMs }: LeasesOptions): TaskLeases {
  const leases = openRowLeases(leasedRows(database, LEASED, { ttlMs, everyMs: renewMs }));
  const listening = new Map<string, OwnerListeners>();
  const cancel = (id: string) => listening.get(id)?.cancelRequested();
  const endRequests = bus.subscribe(CANCEL_TOPIC, cancel);
  return {
    owner: leases.owner,
    add(id, fence, sinceMs) {
      const lease = leases.add({
        id,
        fence,
        sinceMs,
        onLost: () => listening.get(id)?.lost(),
        onRenewed: (isWanted) => isWanted && cancel(id),
      });
      return {
        ...lease,
        listen: (listeners) => void listening.set(id, listeners),
        end() {
          lease.end();
          listening.delete(id);
        },
      };
    },
    async close() {
      endRequests();
      await leases.close();
    },
  };
}
