/** The clock of a database, as this process knows it. */
export interface DatabaseClock {
  /** Milliseconds since the epoch. Without a reading, the clock of this machine. */
  now(): number;
  /** Notes a reading that a statement returned, which took some milliseconds. */
  add(databaseMs: number, tookMs: number): void;
}

/** Milliseconds by which a reading gets worse each second: clocks differ in speed. */
const DRIFT_MS_PER_SECOND = 1;

const clocks = new Map<string, DatabaseClock>();

/**
 * Returns the clock of a database by its URL. All users in this process share the readings: one is taken before the first statement, and one
 * at each look at the schema.
 */
export function databaseClock(url: string): DatabaseClock {
  const clock = clocks.get(url) ?? createClock(() => performance.now());
  clocks.set(url, clock);
  return clock;
}

/** Creates the clock of a database. Between two readings, it advances with a clock that nobody sets. */
export function createClock(elapsedMs: () => number): DatabaseClock {
  let offsetMs: number | undefined;
  let errorMs = Number.POSITIVE_INFINITY;
  let readMs = 0;
  return {
    now: () => (offsetMs === undefined ? Date.now() : elapsedMs() + offsetMs),
    add(databaseMs, tookMs) {
      const at = elapsedMs();
      // The database read its clock at some time of the statement: half of its time is the largest error.
      const oldErrorMs = errorMs + ((at - readMs) / 1_000) * DRIFT_MS_PER_SECOND;
      if (tookMs / 2 > oldErrorMs) return;
      offsetMs = databaseMs - (at - tookMs / 2);
      errorMs = tookMs / 2;
      readMs = at;
    },
  };
}
