import { mayRaisePriority } from '../processes/processor.ts';
import type { GuestProcess } from './guest-process.ts';

/** A guest process whose priority changes. */
interface Guest {
  readonly gone: boolean;
  /** Sets its niceness. Returns false if a part of it has another one. */
  setNiceness(niceness: number): boolean;
  kill(): void;
}

/** The priority of one guest while it serves a user. */
export interface ServingPriority {
  /** Applies the priority to the processes that the guest has now. Call it again when it has started more. */
  apply(): void;
  /** Ends the service. A guest that will serve again has the usual priority afterwards, or is killed. */
  end(isReusable: boolean): void;
}

/** Decides which guests get the processors first. */
export interface GuestPriorities<G extends Guest> {
  /** A spare guest starts when others leave the processors to it. */
  startsSpare(guest: G): void;
  /** `hasFurtherGuests` returns whether the guest's user has other guests. */
  serves(guest: G, hasFurtherGuests: () => boolean): ServingPriority;
}

/** A program that runs for longer has a lower priority. */
const LONG_RUN_MS = 250;
const USUAL_NICENESS = 0;
/** A third of the usual share: on a machine that other software keeps busy, a long program still goes on. */
const LONG_NICENESS = 5;
/** A ninth of the usual share. */
const FURTHER_NICENESS = 10;

/**
 * Creates the rules: a user's only guest has the usual priority for a short time, and a lower one afterwards. Further guests of a user,
 * and guests without a user, have the lowest. The host and the users with little work thus go first.
 */
export function createGuestPriorities<G extends Guest>(mayRaise = mayRaisePriority()): GuestPriorities<G> {
  const lowered = new WeakSet<G>();
  /** Returns false if the guest should have the usual priority and cannot get it back. */
  const apply = (guest: G, niceness: number, isStarting = false): boolean => {
    const isLow = niceness > USUAL_NICENESS;
    if (isLow) lowered.add(guest);
    else if (!lowered.has(guest)) return true;
    const isDone = guest.setNiceness(niceness);
    // A starting guest may have further processes by now, which have inherited a low priority.
    if (isDone && !isLow && !isStarting) lowered.delete(guest);
    return isDone || isLow;
  };
  return {
    startsSpare(guest) {
      if (mayRaise) apply(guest, FURTHER_NICENESS);
    },
    serves(guest, hasFurtherGuests) {
      let alone = USUAL_NICENESS;
      const applyNow = (isStarting = false) =>
        void apply(guest, hasFurtherGuests() ? FURTHER_NICENESS : alone, isStarting);
      applyNow(true);
      const late = setTimeout(() => {
        alone = LONG_NICENESS;
        applyNow();
      }, LONG_RUN_MS).unref();
      return {
        apply: () => applyNow(),
        end(isReusable) {
          clearTimeout(late);
          if (isReusable && !guest.gone && !apply(guest, USUAL_NICENESS)) guest.kill();
        },
      };
    },
  };
}

/** A guest may use its share of this time at once, and then waits for its next share. */
const PERIOD_MS = 100;
const LOOK_EVERY_MS = 20;
const ALL_PERCENT = 100;

/**
 * Keeps a guest below a share of one processor: when it has used more than its share, the host stops it until it has not. Does
 * nothing for a whole processor, and where the system does not report the time of processes. Returns a function that ends the
 * watch and continues the guest.
 */
export function watchProcessor(guest: GuestProcess, percent: number): () => void {
  const startMs = percent < ALL_PERCENT ? guest.processorMs() : undefined;
  if (startMs === undefined) return () => undefined;
  const share = percent / ALL_PERCENT;
  let lastMs = startMs;
  let lastAt = performance.now();
  // The time that the guest may use now. It saves no more than the share of one period.
  let creditMs = share * PERIOD_MS;
  let isStopped = false;
  const watch = setInterval(() => {
    const usedMs = guest.processorMs() ?? lastMs;
    const now = performance.now();
    creditMs = Math.min(share * PERIOD_MS, creditMs + share * (now - lastAt)) - (usedMs - lastMs);
    [lastMs, lastAt] = [usedMs, now];
    const wasStopped = isStopped;
    isStopped = creditMs < 0;
    // Sent again at each look: a process that started meanwhile, or that another one continued, stops too.
    if (isStopped || wasStopped) guest.setStopped(isStopped);
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(watch);
    if (isStopped) guest.setStopped(false);
  };
}
