import { availableParallelism } from 'node:os';
import { inSlices } from '../slices.ts';
import { packSteps } from './message.ts';
import { type SearchWorker, startSearchWorker } from './worker.ts';

export interface SearchWorkersOptions {
  /** Maximum number of threads. */
  readonly size: number;
  readonly start: () => SearchWorker;
  /** Milliseconds after which idle threads end. */
  readonly idleMs: number;
  /** Characters of all texts that may wait for a thread. */
  readonly maxWaitingCharacters: number;
}

/** Threads that search large texts. They start when they are needed. */
export interface SearchWorkers {
  /** Returns the found values, see `packFound`. Without a free thread, or if it ends, `undefined`: search the text in slices then. */
  find(text: string, search: unknown): Promise<Uint32Array | undefined>;
  /** Returns the number of running threads. */
  count(): number;
}

/**
 * Characters from which on a thread searches a text. The built-in rules take about 8 ms for so many, and moving them to a
 * thread takes less than 1 ms.
 */
export const LARGE_CHARACTERS = 262_144;
const MAX_THREADS = 2;
const IDLE_MS = 10_000;
/** Two results at the default limit of 16 MiB. */
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024;

/** Creates a pool of threads. */
export function createSearchWorkers({
  size,
  start,
  idleMs,
  maxWaitingCharacters,
}: SearchWorkersOptions): SearchWorkers {
  const idle: SearchWorker[] = [];
  const waiting: { readonly characters: number; readonly take: (worker: SearchWorker | undefined) => void }[] = [];
  let busy = 0;
  let timer: NodeJS.Timeout | undefined;

  const started = (): SearchWorker | undefined => {
    try {
      const worker = idle.pop() ?? start();
      busy++;
      return worker;
    } catch {
      // The system has no thread for it.
      return undefined;
    }
  };
  const acquire = (characters: number): Promise<SearchWorker | undefined> | SearchWorker | undefined => {
    if (busy < size) return started();
    const all = waiting.reduce((sum, other) => sum + other.characters, characters);
    return all > maxWaitingCharacters ? undefined : new Promise((take) => waiting.push({ characters, take }));
  };
  const release = (worker: SearchWorker) => {
    busy--;
    if (worker.isAlive) idle.push(worker);
    const next = waiting.shift();
    if (next) next.take(started());
    clearTimeout(timer);
    timer = setTimeout(endIdle, idleMs).unref();
  };
  const endIdle = () => {
    for (const worker of idle.splice(0)) worker.end();
  };
  return {
    async find(text, search) {
      const worker = await acquire(text.length);
      if (worker === undefined) return undefined;
      try {
        return await worker.search({ parts: await inSlices(packSteps(text)), search });
      } finally {
        release(worker);
      }
    },
    count: () => busy + idle.length,
  };
}

/** The threads of this process: one fewer than it has processors, and at most two. */
export const searchWorkers: SearchWorkers = createSearchWorkers({
  size: Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1)),
  start: startSearchWorker,
  idleMs: IDLE_MS,
  maxWaitingCharacters: MAX_WAITING_CHARACTERS,
});
