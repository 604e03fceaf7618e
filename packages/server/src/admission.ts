import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { type FairQueue, fairQueue } from '@toolwright/sandbox/internal';

/** The most executions of all clients at once, waiting ones included. Further executions are refused. */
export const MAX_EXECUTIONS = 256;
/**
 * The most started executions. Further ones wait in a fair queue over users. The limit exceeds the number of guests, so that
 * every guest has work. It is low enough that `/health` answers fast during a burst of requests.
 */
export const MAX_STARTED = 32;

/** Limits the work of a server, and waits for it when the server shuts down. */
export interface Admission {
  /** Whether the server is shutting down. It then refuses new work. */
  readonly isDraining: boolean;
  /** The number of admitted and tracked pieces of work that have not ended. */
  readonly running: number;
  /** Runs work within the limits. Raises `BUSY` when too much work is running or waiting, and `CLOSED` while draining. */
  admit<T>(user: string, work: () => Promise<T>): Promise<T>;
  /** Makes `idle` wait for work that other limits control. */
  track(work: Promise<unknown>): void;
  /** Refuses all new work from now on. */
  drain(): void;
  /** Resolves when all work has ended. */
  idle(): Promise<void>;
}

/** Creates the admission control of a server. */
export function createAdmission(
  options: { readonly maxExecutions?: number; readonly maxStarted?: number } = {},
): Admission {
  const { maxExecutions = MAX_EXECUTIONS, maxStarted = MAX_STARTED } = options;
  const works = new Set<Promise<unknown>>();
  const waiting: FairQueue<() => void> = fairQueue();
  let admitted = 0;
  let started = 0;
  let isDraining = false;
  let lastStart = Promise.resolve();
  const track = (work: Promise<unknown>): void => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    works.add(settled);
    void settled.then(() => works.delete(settled));
  };
  const runInTurn = async <T>(user: string, work: () => Promise<T>): Promise<T> => {
    if (started < maxStarted) started++;
    // An execution that ends starts the next one.
    else await new Promise<void>((resolve) => waiting.push(user, resolve));
    // One execution starts per turn of the event loop, so that the server can read new requests in between.
    lastStart = lastStart.then(() => new Promise((resolve) => setImmediate(resolve)));
    await lastStart;
    try {
      return await work();
    } finally {
      admitted--;
      const next = waiting.shift();
      if (next) next();
      else started--;
    }
  };
  return {
    get isDraining() {
      return isDraining;
    },
    get running() {
      return works.size;
    },
    async admit(user, work) {
      if (isDraining)
        throw new ToolwrightError('CLOSED', 'The server is shutting down and accepts no new work. Try again later.');
      if (admitted >= maxExecutions) {
        const message = `${admitted} executions are running or waiting, the limit is ${maxExecutions}. Try again in a moment.`;
        throw new ToolwrightError('BUSY', message);
      }
      admitted++;
      const done = runInTurn(user, work);
      track(done);
      return done;
    },
    track,
    drain() {
      isDraining = true;
    },
    async idle() {
      while (works.size > 0) await Promise.all(works);
    },
  };
}

/** Returns a Toolwright whose executions wait for admission. */
export function withAdmission(toolwright: Toolwright, admission: Admission): Toolwright {
  return {
    ...toolwright,
    execute: (source, options = {}) => admission.admit(options.userId ?? '', () => toolwright.execute(source, options)),
  };
}
