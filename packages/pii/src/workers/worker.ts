import { Worker } from 'node:worker_threads';
import { SEARCH_ENTRY } from './entry.ts';
import type { SearchRequest } from './message.ts';

/** A thread that searches one text at a time. */
export interface SearchWorker {
  /** Resolves to the found values, see `packFound`, or to `undefined` if the thread has ended. Never rejects. */
  search(request: SearchRequest): Promise<Uint32Array | undefined>;
  /** Whether the thread can search a further text. */
  readonly isAlive: boolean;
  end(): void;
}

/** V8's heap of a thread, MiB. The search of 16 MiB with a value in each line takes less than half. */
const MAX_HEAP_MIB = 512;

/** Starts a thread. It keeps the process alive only while it searches. Throws if the system has no thread for it. */
export function startSearchWorker(): SearchWorker {
  const worker = new Worker(SEARCH_ENTRY, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  let isAlive = true;
  let answer: (found: Uint32Array | undefined) => void = () => undefined;
  // An error may contain parts of the text. The main thread searches the text again, and raises it.
  worker.on('error', () => undefined);
  worker.on('exit', () => {
    isAlive = false;
    answer(undefined);
  });
  worker.on('message', (found: Uint32Array) => answer(found));
  worker.unref();
  return {
    search(request) {
      if (!isAlive) return Promise.resolve(undefined);
      worker.ref();
      return new Promise((resolve) => {
        answer = (found) => {
          worker.unref();
          resolve(found);
        };
        const buffers = request.parts.map(({ bytes }) => bytes);
        worker.postMessage(request, buffers);
      });
    },
    get isAlive() {
      return isAlive;
    },
    end() {
      isAlive = false;
      void worker.terminate();
    },
  };
}
