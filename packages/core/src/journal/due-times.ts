import { uptime } from 'node:os';
import type { Store } from '@toolwright/storage';
import { databaseClock, databaseOf } from '@toolwright/storage/internal';

/** When waits end. Times are milliseconds since the epoch, as journals store them. */
export interface DueTimes {
  /** Returns the time after some milliseconds. */
  dueIn(ms: number): number;
  /** Returns the milliseconds until a time; 0 or less after it. */
  leftMs(dueMs: number): number;
}

/** The clocks of a machine. */
export interface MachineClocks {
  /** Milliseconds since the epoch. Anyone may set it. */
  wall(): number;
  /** Milliseconds since some moment, with those in which the machine slept. Nobody sets it. */
  elapsed(): number;
}

/** Milliseconds by which the uptime of some systems is imprecise. */
const UPTIME_ERROR_MS = 1_000;
/** Times that a process remembers. */
const MAX_KNOWN = 100_000;

/** Returns due times by the clock of a shared store, and for the processes of one machine without one. */
export function dueTimesOf(store: Store | undefined): DueTimes {
  const database = store && databaseOf(store);
  return database ? dueTimesBy(databaseClock(database.url).now) : machineDueTimes();
}

/** Returns due times by one clock, which all processes share. */
export function dueTimesBy(now: () => number): DueTimes {
  return { dueIn: (ms) => Math.ceil(now() + ms), leftMs: (dueMs) => dueMs - now() };
}

/**
 * Returns due times for processes of one machine. A process compares each time with the wall clock once: its own when it makes them, others
 * when it first reads them. From then on, a clock that nobody sets counts down.
 */
export function machineDueTimes({ wall, elapsed }: MachineClocks = systemClocks()): DueTimes {
  const known = new Map<number, number>();
  const remember = (dueMs: number, leftMs: number) => {
    known.set(dueMs, elapsed() + leftMs);
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    return leftMs;
  };
  return {
    dueIn(ms) {
      const dueMs = Math.ceil(wall() + ms);
      remember(dueMs, ms);
      return dueMs;
    },
    leftMs(dueMs) {
      const ends = known.get(dueMs);
      return ends === undefined ? remember(dueMs, dueMs - wall()) : ends - elapsed();
    },
  };
}

function systemClocks(): MachineClocks {
  const [startedMs, startedUptimeMs] = [performance.now(), uptime() * 1_000];
  return {
    wall: Date.now,
    // Most clocks of programs stop while the machine sleeps, and the uptime does not.
    elapsed: () => Math.max(performance.now() - startedMs, uptime() * 1_000 - startedUptimeMs - UPTIME_ERROR_MS),
  };
}
