import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { mayTakeAnother } from '@toolwright/sandbox/internal';
import { capError } from './quota-error.ts';
import { createCounts, createStartTurns } from './start-turns.ts';
import { withSessionCap } from './user-caps.ts';

/** The most executions of all users at once, waiting ones included. Further executions are refused. */
export const MAX_EXECUTIONS = 2_048;
/** The most executions of one user at once, waiting ones included. One user never has all places of {@link MAX_EXECUTIONS}. */
export const MAX_EXECUTIONS_PER_USER = 256;
/**
 * The most started executions. One user never has all of them. Further ones wait in a fair queue over users. The limit exceeds the number of guests, so that
 * every guest has work. It is low enough that `/health` answers fast during a burst of requests.
 */
export const MAX_STARTED = 32;

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
