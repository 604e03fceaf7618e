import type { GuestCarrier } from '../guest-process.ts';
import type { JailGuest } from './guest.ts';
import { type CgroupSlot, openCgroupSlot } from './launch.ts';

/** A seat takes a moment of the processor, and is opened when the guest that took the last one runs. */
const OPEN_AFTER_MS = 100;

/**
 * Starts guests in jails, and keeps one process per language that is in its control group already: to get there takes the
 * kernel some 10 ms, which nobody waits for then. It holds about 1 MB.
 */
export interface CgroupSlots {
  /** Starts a guest in a jail of its own. Raises `SANDBOX_UNAVAILABLE` when a program that builds jails is missing. */
  launch(guest: JailGuest, memoryBytes: number): GuestCarrier;
  /** Ends the waiting processes. */
  close(): Promise<void>;
}

export function createCgroupSlots(): CgroupSlots {
  const spare = new Map<JailGuest, CgroupSlot>();
  let closed = false;

  const open = (guest: JailGuest) => {
    if (closed || spare.get(guest)?.gone === false) return;
    try {
      spare.set(guest, openCgroupSlot(guest));
    } catch {
      // Whoever asks for a guest is told why.
    }
  };

  return {
    launch(guest, memoryBytes) {
      const waiting = spare.get(guest);
      spare.delete(guest);
      const slot = waiting?.gone === false ? waiting : openCgroupSlot(guest);
      slot.take(memoryBytes);
      setTimeout(() => open(guest), OPEN_AFTER_MS).unref();
      return slot.carrier;
    },
    async close() {
      closed = true;
      const slots = [...spare.values()];
      for (const { carrier } of slots) carrier.kill();
      await Promise.all(slots.map(({ carrier }) => carrier.ended));
    },
  };
}
