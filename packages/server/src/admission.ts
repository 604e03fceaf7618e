import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { type FairQueue, fairQueue } from '@toolwright/sandbox/internal';

/** Executions that clients have under way at once, those that wait included; more are refused. */
export const MAX_EXECUTIONS = 256;
/**
 * Executions that have begun and not ended; the others wait, users in turns. More than sandboxes have guests, so that none of
 * these waits for us, and few enough that a burst of requests does not keep `/health` waiting.
 */
export const MAX_BEGUN = 32;

/** Says what work is taken on, and knows what is under way: for refusing more than there is room for, and for ending. */
export interface Admission {
  /** Whether the server is about to stop and takes no new work. */
  readonly isDraining: boolean;
  /** Pieces of work under way. */
  readonly running: number;
  /** Does work that needs a place. Raises `BUSY` when all are taken, and `CLOSED` while draining. */
  admit<T>(user: string, work: () => Promise<T>): Promise<T>;
  /** Waits for work that has its place elsewhere, when the server ends. */
  track(work: Promise<unknown>): void;
  /** Takes no more work from now on. */
  drain(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Opens the door. */
export function createAdmission(
  options: { readonly maxExecutions?: number; readonly maxBegun?: number } = {},
): Admission {
  const { maxExecutions = MAX_EXECUTIONS, maxBegun = MAX_BEGUN } = options;
  const works = new Set<Promise<unknown>>();
  const waiting: FairQueue<() => void> = fairQueue();
  let taken = 0;
  let begun = 0;
  let isDraining = false;
  let begins = Promise.resolve();
  const track = (work: Promise<unknown>): void => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    works.add(settled);
    void settled.then(() => works.delete(settled));
  };
  const inTurn = async <T>(user: string, work: () => Promise<T>): Promise<T> => {
    if (begun < maxBegun) begun++;
    // Whoever ends gives its turn away.
    else await new Promise<void>((resolve) => waiting.push(user, resolve));
    // One begins per turn of the event loop: requests that come meanwhile are heard.
    begins = begins.then(() => new Promise((resolve) => setImmediate(resolve)));
    await begins;
    try {
      return await work();
    } finally {
      taken--;
      const next = waiting.shift();
      if (next) next();
      else begun--;
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
      if (taken >= maxExecutions) {
        const message = `${taken} executions are running or waiting, the limit is ${maxExecutions}. Try again in a moment.`;
        throw new ToolwrightError('BUSY', message);
      }
      taken++;
      const done = inTurn(user, work);
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
