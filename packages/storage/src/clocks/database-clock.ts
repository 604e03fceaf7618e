import { pathToFileURL } from 'node:url';
import { dataFolder } from '../data-folder/data-folder.ts';
import { elapsedMs } from './machine-clock.ts';

/** The clock of a database, as this process knows it. */
export interface DatabaseClock {
  /** Milliseconds since the epoch. Nobody sets it. Without a reading, it is the time of this process, by the wall clock of its start. */
  now(): number;
  /** Notes a reading that a statement returned, which took some milliseconds. */
  add(databaseMs: number, tookMs: number): void;
}

/** Milliseconds by which a reading gets worse each second: clocks differ in speed. */
const DRIFT_MS_PER_SECOND = 1;

const clocks = new Map<string, DatabaseClock>();

/**
 * Returns the clock of a database by its URL. All users in this process share the readings: one is taken at the first statement, and PostgreSQL
 * returns more at each look at the schema.
 */
export function databaseClock(url: string): DatabaseClock {
  const clock = clocks.get(url) ?? createClock(elapsedMs);
  clocks.set(url, clock);
  return clock;
}

/** Returns the clock of the tables of a data folder. */
export function stateClock(dataDir: string): DatabaseClock {
  return databaseClock(pathToFileURL(dataFolder(dataDir).state).href);
}

/** Creates the clock of a database. Between two readings, it advances with a clock that nobody sets. */
export function createClock(elapsed: () => number): DatabaseClock {
  let offsetMs = Date.now() - elapsed();
  let errorMs = Number.POSITIVE_INFINITY;
  let readMs = 0;
  return {
    now: () => elapsed() + offsetMs,
    add(databaseMs, tookMs) {
      const at = elapsed();
      // The database read its clock at some time of the statement: half of its time is the largest error.
      const oldErrorMs = errorMs + ((at - readMs) / 1_000) * DRIFT_MS_PER_SECOND;
      if (tookMs / 2 > oldErrorMs) return;
      offsetMs = databaseMs - (at - tookMs / 2);
      errorMs = tookMs / 2;
      readMs = at;
    },
  };
}
