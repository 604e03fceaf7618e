import { type Bus, escapedText, type Postgres } from '@toolwright/storage/internal';

/** Reports of changes. */
export interface ChangeReports {
  /** Calls a function with the escaped names of users whose rows have changed; without them when they are unknown. */
  subscribe(listener: (users?: readonly string[]) => void): () => void;
  /** Reports changes to this process and to the others. */
  publish(users: readonly string[]): void;
}

/** The changes of the rows of a database, by any process. */
export interface ChangeWatch extends ChangeReports {
  /** Returns a waiter for changes of a user. */
  waiter(userId: string, signal: AbortSignal): ChangeWaiter;
  /** Looks for changes whose messages were lost. */
  look(): Promise<void>;
  close(): void;
}

/** Waits for changes. */
export interface ChangeWaiter {
  /** Returns the number of changes so far. */
  count(): number;
  /** Resolves after a change that `count` has not counted, or when the signal aborts. */
  next(count: number): Promise<void>;
  close(): void;
}

const TOPIC = 'execution-changes';
const LOOK = `select user_id, max(change)::text as last from toolwright.execution_rows where change > $1 group by user_id`;
const LAST = 'select coalesce(max(change), 0)::text as last from toolwright.execution_rows';

/** Watches the rows of a database. */
export function watchChanges({ database, bus }: { readonly database: Postgres; readonly bus: Bus }): ChangeWatch {
  const listeners = new Set<(users?: readonly string[]) => void>();
  let last: number | undefined;
  const report = (users?: readonly string[]) => {
    for (const listener of [...listeners]) listener(users);
  };
  let unsubscribe: (() => void) | undefined;
  const subscribe: ChangeWatch['subscribe'] = (listener) => {
    listeners.add(listener);
    unsubscribe ??= bus.subscribe(TOPIC, (message) => report(JSON.parse(message)));
    return () => void listeners.delete(listener);
  };
  return {
    subscribe,
    waiter(userId, signal) {
      const user = escapedText(userId);
      let count = 0;
      let wake: () => void = () => undefined;
      const ring = () => {
        count++;
        wake();
      };
      const end = subscribe((users) => (users === undefined || users.includes(user)) && ring());
      signal.addEventListener('abort', ring);
      return {
        count: () => count,
        next: (seen) =>
          seen === count && !signal.aborted
            ? new Promise<void>((resolve) => {
                wake = resolve;
              })
            : Promise.resolve(),
        close() {
          end();
          signal.removeEventListener('abort', ring);
        },
      };
    },
    publish: (users) => bus.publish(TOPIC, JSON.stringify([...new Set(users)])),
    async look() {
      if (listeners.size === 0) {
        last = undefined;
        return;
      }
      if (last === undefined) {
        last = Number((await database.read(LAST))[0]?.last);
        return report();
      }
      const found = await database.read(LOOK, [last]);
      if (found.length === 0) return;
      last = Math.max(...found.map((row) => Number(row.last)));
      report(found.map(({ user_id }) => String(user_id)));
    },
    close() {
      unsubscribe?.();
      listeners.clear();
    },
  };
}
