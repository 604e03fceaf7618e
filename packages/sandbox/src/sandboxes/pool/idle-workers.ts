/** The facts about a worker that this list needs. */
interface ListedWorker {
  readonly kind: string;
  readonly isReady: boolean;
  readonly gone: boolean;
}

/** The idle workers of a pool, oldest first, and the tenant of every worker that has served one. */
export interface IdleWorkers<W extends ListedWorker> {
  size(): number;
  add(worker: W): void;
  /**
   * Removes and returns a live worker for a tenant: first one that has served it, else one that has served nobody. Ready ones go
   * first. The `kept` oldest workers of the kind that have served nobody stay.
   */
  take(kind: string, tenant: string, kept?: number): W | undefined;
  /** Removes and returns the oldest worker. The last `kept` workers that have served nobody stay. */
  takeOldest(kept?: number): W | undefined;
  /** Binds a worker to a tenant for the rest of its life. */
  assign(worker: W, tenant: string): void;
  /** Removes an ended worker. */
  forget(worker: W): void;
  /** Returns how many workers of the kind are live and have served nobody. */
  countUnassigned(kind: string): number;
  /** Returns how many of them are ready. */
  countReady(kind: string): number;
  /** Returns the workers, except the oldest, that are idle since before a time in milliseconds since the epoch. */
  idleSince(before: number): readonly W[];
  all(): readonly W[];
}

/** Creates an empty list. */
export function createIdleWorkers<W extends ListedWorker>(): IdleWorkers<W> {
  const idle: { readonly worker: W; readonly since: number }[] = [];
  const tenantOf = new Map<W, string>();
  const unassigned = (kind?: string) =>
    idle.filter(({ worker }) => (kind ?? worker.kind) === worker.kind && !worker.gone && !tenantOf.has(worker));
  const countUnassigned = (kind?: string) => unassigned(kind).length;
  const removeAt = (index: number) => (index < 0 ? undefined : idle.splice(index, 1)[0]?.worker);
  return {
    size: () => idle.length,
    add: (worker) => void idle.push({ worker, since: Date.now() }),
    take(kind, tenant, kept = 0) {
      const fits = ({ worker }: { readonly worker: W }) =>
        worker.kind === kind && !worker.gone && (tenantOf.get(worker) ?? tenant) === tenant;
      const own = idle.findIndex((entry) => fits(entry) && tenantOf.has(entry.worker));
      if (own >= 0) return removeAt(own);
      if (countUnassigned(kind) <= kept) return undefined;
      // The oldest ones are ready first: new users find them.
      if (kept > 0) return removeAt(idle.findLastIndex(fits));
      const ready = idle.findIndex((entry) => fits(entry) && entry.worker.isReady);
      return removeAt(ready >= 0 ? ready : idle.findIndex(fits));
    },
    takeOldest(kept = 0) {
      const hasMore = countUnassigned() > kept;
      return removeAt(idle.findIndex(({ worker }) => hasMore || tenantOf.has(worker) || worker.gone));
    },
    assign: (worker, tenant) => void tenantOf.set(worker, tenant),
    forget(worker) {
      const index = idle.findIndex((entry) => entry.worker === worker);
      if (index >= 0) idle.splice(index, 1);
      tenantOf.delete(worker);
    },
    countUnassigned,
    countReady: (kind) => unassigned(kind).filter(({ worker }) => worker.isReady).length,
    idleSince: (before) =>
      idle
        .slice(1)
        .filter(({ since }) => since < before)
        .map(({ worker }) => worker),
    all: () => idle.map(({ worker }) => worker),
  };
}
