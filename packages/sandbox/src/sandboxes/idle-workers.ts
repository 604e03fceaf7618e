/** The facts about a worker that this list needs. */
interface ListedWorker {
  readonly kind: string;
  readonly gone: boolean;
}

/** The idle workers of a pool, oldest first, and the tenant of every worker that has served one. */
export interface IdleWorkers<W extends ListedWorker> {
  size(): number;
  add(worker: W): void;
  /** Removes and returns a live worker for a tenant: first one that has served it, else one that has served nobody. */
  take(kind: string, tenant: string): W | undefined;
  takeOldest(): W | undefined;
  /** Binds a worker to a tenant for the rest of its life. */
  assign(worker: W, tenant: string): void;
  /** Removes an ended worker. */
  forget(worker: W): void;
  /** Returns how many workers of the kind are live and have served nobody. */
  countUnassigned(kind: string): number;
  /** Returns the workers, except the oldest, that are idle since before a time in milliseconds since the epoch. */
  idleSince(before: number): readonly W[];
  all(): readonly W[];
}

/** Creates an empty list. */
export function createIdleWorkers<W extends ListedWorker>(): IdleWorkers<W> {
  const idle: { readonly worker: W; readonly since: number }[] = [];
  const tenantOf = new Map<W, string>();
  return {
    size: () => idle.length,
    add: (worker) => void idle.push({ worker, since: Date.now() }),
    take(kind, tenant) {
      const fits = ({ worker }: { readonly worker: W }) =>
        worker.kind === kind && !worker.gone && (tenantOf.get(worker) ?? tenant) === tenant;
      const own = idle.findIndex((entry) => fits(entry) && tenantOf.has(entry.worker));
      const index = own >= 0 ? own : idle.findIndex(fits);
      return index < 0 ? undefined : idle.splice(index, 1)[0]?.worker;
    },
    takeOldest: () => idle.shift()?.worker,
    assign: (worker, tenant) => void tenantOf.set(worker, tenant),
    forget(worker) {
      const index = idle.findIndex((entry) => entry.worker === worker);
      if (index >= 0) idle.splice(index, 1);
      tenantOf.delete(worker);
    },
    countUnassigned: (kind) =>
      idle.filter(({ worker }) => worker.kind === kind && !worker.gone && !tenantOf.has(worker)).length,
    idleSince: (before) =>
      idle
        .slice(1)
        .filter(({ since }) => since < before)
        .map(({ worker }) => worker),
    all: () => idle.map(({ worker }) => worker),
  };
}
