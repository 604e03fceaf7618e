import { mayRaisePriority } from '../processes/priority.ts';

/** A guest process whose priority changes. */
interface Guest {
  readonly gone: boolean;
  /** Lowers its priority for the processors, or restores it. Returns false if a part of it has another priority. */
  setLowPriority(isLow: boolean): boolean;
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

/** A program that runs for longer has a low priority. */
const LONG_RUN_MS = 250;

/**
 * Creates the rules: a user's only guest has the usual priority for a short time. Further guests of a user, long programs and
 * guests without a user have a low one. The host and the users with little work thus go first, and a user alone loses nothing.
 */
export function createGuestPriorities<G extends Guest>(mayRaise = mayRaisePriority()): GuestPriorities<G> {
  const lowered = new WeakSet<G>();
  /** Returns false if the guest should have the usual priority and cannot get it back. */
  const apply = (guest: G, isLow: boolean): boolean => {
    if (isLow) lowered.add(guest);
    // A starting guest may have further processes by now, which have inherited a low priority.
    else if (!lowered.has(guest)) return true;
    return guest.setLowPriority(isLow) || isLow;
  };
  return {
    startsSpare(guest) {
      if (mayRaise) apply(guest, true);
    },
    serves(guest, hasFurtherGuests) {
      let isLong = false;
      const applyNow = () => void apply(guest, isLong || hasFurtherGuests());
      applyNow();
      const late = setTimeout(() => {
        isLong = true;
        applyNow();
      }, LONG_RUN_MS).unref();
      return {
        apply: applyNow,
        end(isReusable) {
          clearTimeout(late);
          if (isReusable && !guest.gone && !apply(guest, false)) guest.kill();
        },
      };
    },
  };
}
