/** A fair queue: tenants take turns, and the items of one tenant keep their order. */
export interface FairQueue<T> {
  readonly length: number;
  push(tenant: string, item: T): void;
  /** Returns the next item of a tenant that may run, without removing it. */
  peek(mayRun?: (tenant: string) => boolean): T | undefined;
  /** Removes and returns the next item of a tenant that may run. Its tenant becomes the last in turn. */
  shift(mayRun?: (tenant: string) => boolean): T | undefined;
  /** Removes an item at any position. Returns false if it is not in the queue. */
  remove(tenant: string, item: T): boolean;
}

/** Creates an empty queue. */
export function fairQueue<T>(): FairQueue<T> {
  /** In the order of turns: a map keeps the insertion order of its keys. */
  const lines = new Map<string, T[]>();
  let length = 0;

  const next = (mayRun: (tenant: string) => boolean) => {
    for (const tenant of lines.keys()) if (mayRun(tenant)) return tenant;
    return undefined;
  };
  return {
    get length() {
      return length;
    },
    push(tenant, item) {
      const line = lines.get(tenant);
      if (line) line.push(item);
      else lines.set(tenant, [item]);
      length++;
    },
    peek(mayRun = () => true) {
      const tenant = next(mayRun);
      return tenant === undefined ? undefined : lines.get(tenant)?.[0];
    },
    shift(mayRun = () => true) {
      const tenant = next(mayRun);
      const line = tenant === undefined ? undefined : lines.get(tenant);
      if (tenant === undefined || line === undefined) return undefined;
      const item = line.shift();
      length--;
      lines.delete(tenant);
      if (line.length > 0) lines.set(tenant, line);
      return item;
    },
    remove(tenant, item) {
      const line = lines.get(tenant);
      const at = line?.indexOf(item) ?? -1;
      if (line === undefined || at < 0) return false;
      line.splice(at, 1);
      length--;
      if (line.length === 0) lines.delete(tenant);
      return true;
    },
  };
}

/**
 * Returns whether a user that holds some places may take another one: it must leave at least as many free as it holds. One
 * user thus gets half of many places, a second one half of the rest, and so on. A new user finds a free place.
 */
export function mayTakeAnother(held: number, free: number): boolean {
  return free > 0 && held <= free;
}

const NESTED = '\u0000nested ';

/**
 * Returns the name of a user whose program holds a worker and waits for another one. All of those have one worker beyond the maximum, so
 * programs cannot block each other.
 */
export function nestedUser(user: string): string {
  return `${NESTED}${user}`;
}

/** The busy workers of a pool and their users. */
export interface BusyWorkers<W> {
  readonly size: number;
  /** Returns how many workers may become busy. */
  free(): number;
  add(worker: W, user: string): void;
  remove(worker: W): void;
  all(): readonly W[];
  /** Returns how many workers a user holds. */
  heldBy(user: string): number;
  /** Returns how many workers there may be, for the requests of a user. */
  maxFor(user: string): number;
  /** Returns whether a user may take another worker. */
  mayTake(user: string): boolean;
  /** Returns how many ready workers are kept from a user, for users who hold none. */
  keptFrom(user: string): number;
}

/** A smaller pool keeps no workers for new users. */
const MIN_WORKERS_TO_KEEP = 4;

/** Creates the empty set of busy workers of a pool with at most `maxWorkers` workers, which keeps some for new users. */
export function createBusyWorkers<W>(maxWorkers: number, keptForNewUsers: number): BusyWorkers<W> {
  const users = new Map<W, string>();
  const isNested = (user: string) => user.startsWith(NESTED);
  const heldBy = (user: string) => [...users.values()].filter((holder) => holder === user).length;
  return {
    get size() {
      return users.size;
    },
    free: () => maxWorkers - users.size,
    add: (worker, user) => void users.set(worker, user),
    remove: (worker) => void users.delete(worker),
    all: () => [...users.keys()],
    heldBy,
    keptFrom: (user) => (heldBy(user) === 0 || maxWorkers < MIN_WORKERS_TO_KEEP ? 0 : keptForNewUsers),
    maxFor: (user) => maxWorkers + (isNested(user) ? 1 : 0),
    mayTake: (user) =>
      isNested(user) ? users.size <= maxWorkers : mayTakeAnother(heldBy(user), maxWorkers - users.size),
  };
}
