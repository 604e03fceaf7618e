import type { Bus, Database } from '@toolwright/storage/internal';
import { unlessRunning } from '../../unless-running.ts';

/** Reports of changes. */
export interface ChangeReports {
  /** Calls a function with the escaped names of users whose rows have changed; without them when they are unknown. */
  subscribe(listener: (users?: readonly string[]) => void): () => void;
  /** Reports changes to this process and to the others. */
  publish(users: readonly string[]): void;
}

/** The changes of the rows of a database, by any process. */
export interface ChangeWatch extends ChangeReports {
  /** Looks for changes whose messages were lost. */
  look(): Promise<void>;
  close(): void;
}

const TOPIC = 'execution-changes';
const LOOK = `select user_id, max(change)::text as last from toolwright.execution_rows where change > $1 group by user_id`;
const LAST = 'select coalesce(max(change), 0)::text as last from toolwright.execution_rows';

/** Watches the rows of a database. */
export function watchChanges({ database, bus }: { readonly database: Database; readonly bus: Bus }): ChangeWatch {
  const listeners = new Set<(users?: readonly string[]) => void>();
  let last: number | undefined;
  let ends: (() => void)[] = [];
  const report = (users?: readonly string[]) => {
    for (const listener of [...listeners]) listener(users);
  };
  const look = async () => {
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
  };
  return {
    look,
    subscribe(listener) {
      listeners.add(listener);
      if (ends.length === 0)
        ends = [bus.subscribe(TOPIC, (message) => report(JSON.parse(message))), bus.onGap(unlessRunning(look))];
      return () => void listeners.delete(listener);
    },
    publish: (users) => bus.publish(TOPIC, JSON.stringify([...new Set(users)])),
    close() {
      for (const end of ends) end();
      listeners.clear();
    },
  };
}
