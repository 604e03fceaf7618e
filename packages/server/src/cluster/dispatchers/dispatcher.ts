/** Work that a worker can claim, now or after a while. */
export interface ReadyWork {
  readonly id: string;
  /** Default: 0. */
  readonly delayMs?: number;
}

/**
 * Wakes workers: reports that work is ready, without the work. Each report reaches one worker, or is lost: workers also look at the queue
 * from time to time.
 */
export interface Dispatcher extends AsyncDisposable {
  /** Shown in errors: `memory`, `postgres`, `bullmq`. */
  readonly name: string;
  /** Whether reports can reach workers of other processes now. */
  readonly isConnected: boolean;
  /** Reports ready work. Never throws. */
  notify(work: readonly ReadyWork[]): void;
  /** Calls a function with each report that this process gets. An error of it is ignored. */
  listen(onReady: () => Promise<void>): Listening;
}

export interface Listening {
  /** While paused, other processes get the reports. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** The longest delay of a timer of Node, in milliseconds. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Creates the timers of a process, which call a function for each report at its time. */
export function createReportTimers(report: () => void): {
  add(work: readonly ReadyWork[]): void;
  clear(): void;
} {
  const timers = new Set<NodeJS.Timeout>();
  return {
    add(work) {
      for (const { delayMs = 0 } of work) {
        if (delayMs <= 0) setImmediate(report);
        else if (delayMs <= MAX_DELAY_MS) {
          const timer = setTimeout(() => {
            timers.delete(timer);
            report();
          }, delayMs).unref();
          timers.add(timer);
        }
      }
    },
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
