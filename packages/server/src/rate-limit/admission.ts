import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { fairQueue, mayTakeAnother } from '@toolwright/sandbox/internal';
import { capError } from './quota-error.ts';
import { withSessionCap } from './user-caps.ts';

/** The most executions of all users at once, waiting ones included. Further executions are refused. */
const MAX_EXECUTIONS = 2_048;
/** The most executions of one user at once, waiting ones included. One user never has all places of {@link MAX_EXECUTIONS}. */
const MAX_EXECUTIONS_PER_USER = 256;
/**
 * The most started executions. One user never has all of them. Further ones wait in a fair queue over users. The limit exceeds the number of guests, so that
 * every guest has work. It is low enough that `/health` answers fast during a burst of requests.
 */
const MAX_STARTED = 32;

const EXECUTIONS_FIX = 'Wait until some have ended.';

/** Limits the work of a server, and waits for it when the server shuts down. */
export interface Admission {
  /** Whether the server is shutting down. It then refuses new work. */
  readonly isDraining: boolean;
  /** The number of admitted and tracked pieces of work that have not ended. */
  readonly running: number;
  /** The number of executions that wait for a place to start. */
  readonly waiting: number;
  /**
   * Runs work within the limits. Raises `BUSY` when too much work is running or waiting, and `QUOTA_EXCEEDED` when too much
   * of it is the user's. Raises `CLOSED` while draining, and `CANCELLED` when the signal aborts before the start.
   */
  admit<T>(user: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Makes `idle` wait for work that other limits control. */
  track(work: Promise<unknown>): void;
  /** Refuses all new work from now on. */
  drain(): void;
  /** Resolves when all work has ended. */
  idle(): Promise<void>;
}

/** Runs work when its user is in turn. Raises `CANCELLED` when the signal aborts before. */
type RunInTurn = <T>(user: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Creates the admission control of a server. */
export function createAdmission(
  options: { readonly maxExecutions?: number; readonly maxPerUser?: number; readonly maxStarted?: number } = {},
): Admission {
  const { maxExecutions = MAX_EXECUTIONS, maxPerUser = MAX_EXECUTIONS_PER_USER, maxStarted = MAX_STARTED } = options;
  const works = new Set<Promise<unknown>>();
  const admitted = createCounts();
  const runInTurn = createStartTurns(maxStarted);
  let isDraining = false;
  const track = (work: Promise<unknown>): void => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    works.add(settled);
    void settled.then(() => works.delete(settled));
  };
  return {
    get isDraining() {
      return isDraining;
    },
    get running() {
      return works.size;
    },
    get waiting() {
      return Math.max(0, admitted.total() - maxStarted);
    },
    async admit(user, work, signal) {
      if (isDraining)
        throw new ToolwrightError('CLOSED', 'The server is shutting down and accepts no new work. Try again later.');
      const free = maxExecutions - admitted.total();
      if (free <= 0) {
        const message = `${admitted.total()} executions are running or waiting, the limit is ${maxExecutions}. Try again in a moment.`;
        throw new ToolwrightError('BUSY', message);
      }
      const own = admitted.of(user);
      if (own >= maxPerUser || !mayTakeAnother(own, free)) throw capError('queuedExecutions', own, EXECUTIONS_FIX);
      admitted.add(user);
      const done = runInTurn(user, work, signal).finally(() => admitted.remove(user));
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

/** Returns a Toolwright whose executions wait for admission, and whose users have a limited number of sessions. */
export function withAdmission(toolwright: Toolwright, admission: Admission): Toolwright {
  return {
    ...toolwright,
    sessions: withSessionCap(toolwright.sessions),
    execute: (source, options = {}) =>
      admission.admit(options.userId ?? '', () => toolwright.execute(source, options), options.signal),
  };
}

/** Returns a function that runs at most `maxStarted` pieces of work at once. Users take turns, and leave places to others. */
function createStartTurns(maxStarted: number): RunInTurn {
  const waiting = fairQueue<() => void>();
  const started = createCounts();
  const nextTurn = createEventLoopTurns();
  const mayStart = (user: string) => mayTakeAnother(started.of(user), maxStarted - started.total());
  const startNext = () => {
    for (let next = waiting.shift(mayStart); next; next = waiting.shift(mayStart)) next();
  };
  const turnOf = (user: string, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        waiting.remove(user, start);
        const error = new ToolwrightError('CANCELLED', 'The execution was cancelled before it started.');
        void nextTurn(user).then(() => reject(error));
      };
      const start = () => {
        signal?.removeEventListener('abort', leave);
        started.add(user);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(user, start);
      startNext();
    });
  return async (user, work, signal) => {
    await turnOf(user, signal);
    await nextTurn(user);
    try {
      return await work();
    } finally {
      started.remove(user);
      startNext();
    }
  };
}

/**
 * Returns a function that resolves in the user's next turn. One execution starts or is cancelled per turn of the event loop, so
 * that the server can read new requests in between. Users take turns here too.
 */
function createEventLoopTurns(): (user: string) => Promise<void> {
  const waiting = fairQueue<() => void>();
  const runNext = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(runNext);
  };
  return (user) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(runNext);
      waiting.push(user, resolve);
    });
}

/** Counts by user. */
function createCounts(): {
  of(user: string): number;
  total(): number;
  add(user: string): void;
  remove(user: string): void;
} {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    of: (user) => counts.get(user) ?? 0,
    total: () => total,
    add(user) {
      counts.set(user, (counts.get(user) ?? 0) + 1);
      total++;
    },
    remove(user) {
      const left = (counts.get(user) ?? 0) - 1;
      if (left > 0) counts.set(user, left);
      else counts.delete(user);
      total--;
    },
  };
}
