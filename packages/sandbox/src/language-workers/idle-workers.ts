import type { LanguageWorker } from './worker.ts';

/** An idle worker ends after this time. */
const IDLE_MS = 5 * 60_000;

/** The workers of a pool that wait for a request. */
export interface IdleWorkers {
  readonly size: number;
  /** Keeps a worker until it is needed, or for five minutes. */
  add(worker: LanguageWorker): void;
  /** Removes and returns a live worker; undefined when there is none. */
  take(): LanguageWorker | undefined;
  /** Ends all idle workers. */
  end(): void;
}

/** Creates an empty list of idle workers. The last one that became idle is taken first, so that the others can end. */
export function createIdleWorkers(): IdleWorkers {
  const idle = new Map<LanguageWorker, NodeJS.Timeout>();
  const remove = (worker: LanguageWorker) => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  };
  const end = (worker: LanguageWorker) => {
    remove(worker);
    worker.kill();
  };
  return {
    get size() {
      return idle.size;
    },
    add(worker) {
      idle.set(worker, setTimeout(() => end(worker), IDLE_MS).unref());
    },
    take() {
      for (const worker of [...idle.keys()].reverse()) {
        remove(worker);
        if (worker.alive()) return worker;
      }
      return undefined;
    },
    end() {
      for (const worker of [...idle.keys()]) end(worker);
    },
  };
}
