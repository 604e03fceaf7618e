import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_TIMER_MS } from '../../config/setting.ts';
import { ToolwrightError } from '../../errors.ts';
import type { DueTimes } from '../../journal/due-times.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Recording } from '../../journal/recording/recording.ts';
import type { Waits } from './waits.ts';

export interface SleepsOptions {
  readonly journal: Journal;
  readonly waits: Waits;
  /** A longer sleep is a wait: it survives the process, and costs no time. */
  readonly graceMs: number;
  /** The ends of sleeps of an execution that is continued. */
  readonly earlier: Recording['timers'];
  readonly dueTimes: DueTimes;
}

/** The sleeps of one execution. */
export interface Sleeps {
  /** Resolves after the milliseconds, at most a year. `request` is the id of the guest's request. */
  sleep(milliseconds: unknown, request: number): Promise<void>;
  /** Ends the sleep that would end first, as long as not too many were skipped. */
  skip(): void;
  close(): void;
}

const MAX_SLEEP_MS = 366 * 24 * 60 * 60 * 1_000;
/** A program that sleeps until a time that its clock never shows keeps waiting after this many. */
const MAX_SKIPS = 1_000;

/** Creates the sleeps of one execution. */
export function createSleeps({ journal, waits, graceMs, earlier, dueTimes }: SleepsOptions): Sleeps {
  const { dueIn, leftMs } = dueTimes;
  const ending = new AbortController();
  const { signal } = ending;
  // Every sleep listens, and the program has a limit of open requests.
  setMaxListeners(0, signal);
  /** The ends of long sleeps, each with the controller that ends it now. */
  const long = new Map<AbortController, number>();
  let skips = 0;
  const pause = (milliseconds: number, skipped = signal) =>
    sleep(milliseconds, undefined, { signal: skipped }).catch(() => {
      if (signal.aborted) throw new ToolwrightError('CANCELLED', 'The execution has ended.');
    });
  const until = async (dueMs: number, skipped: AbortSignal) => {
    const either = AbortSignal.any([signal, skipped]);
    for (let left = leftMs(dueMs); left > 0 && !skipped.aborted; left = leftMs(dueMs)) {
      await pause(Math.min(left, MAX_TIMER_MS), either);
    }
  };
  return {
    async sleep(milliseconds, request) {
      const wanted = typeof milliseconds === 'number' ? Math.max(0, milliseconds) : 0;
      const before = earlier.get(request);
      if (before === undefined && wanted <= graceMs) return pause(wanted);
      const dueMs = before ?? dueIn(Math.min(wanted, MAX_SLEEP_MS));
      const left = leftMs(dueMs);
      if (before !== undefined && left <= graceMs) return pause(Math.max(0, left));
      if (before === undefined) journal.startTimer(request, dueMs);
      const end = waits.begin({ kind: 'timer', untilMs: dueMs });
      const skipping = new AbortController();
      long.set(skipping, dueMs);
      try {
        await until(dueMs, skipping.signal);
      } finally {
        long.delete(skipping);
        end();
      }
    },
    skip() {
      if (++skips > MAX_SKIPS) return;
      const [[next] = []] = [...long].sort(([, a], [, b]) => a - b);
      next?.abort();
    },
    close: () => ending.abort(),
  };
}
