import type { Store } from '@toolwright/storage';
import { databaseClock, databaseOf, stateClock } from '@toolwright/storage/internal';

/** When waits end. Times are milliseconds since the epoch, as journals store them. */
export interface DueTimes {
  /** Returns the time after some milliseconds. */
  dueIn(ms: number): number;
  /** Returns the milliseconds until a time; 0 or less after it. */
  leftMs(dueMs: number): number;
}

/** Names the clock of this process. */
const OWN = 'process:';

/** Returns due times by the clock of a store in PostgreSQL, else of the tables in a data folder, else of this process. */
export function dueTimesOf(store: Store | undefined, dataDir: string | undefined): DueTimes {
  const database = store && databaseOf(store);
  const clock = database || dataDir === undefined ? databaseClock(database?.url ?? OWN) : stateClock(dataDir);
  return dueTimesBy(clock.now);
}

/** Returns due times by one clock, which all processes share. */
export function dueTimesBy(now: () => number): DueTimes {
  return { dueIn: (ms) => Math.ceil(now() + ms), leftMs: (dueMs) => dueMs - now() };
}
