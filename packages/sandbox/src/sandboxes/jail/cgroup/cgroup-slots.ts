import type { GuestCarrier } from '../../guest-process.ts';
import type { JailGuest } from '../guest.ts';
import { type CgroupSlot, openCgroupSlot } from '../launch.ts';

/** Preparing a slot costs processor time, so the next one is prepared when the guest of the last one runs. */
const OPEN_AFTER_MS = 100;

/**
 * Starts guests in jails. It keeps one process per language ready in its control group, because moving a process into a group
 * takes about 10 ms. A waiting process uses about 1 MB.
 */
export interface CgroupSlots {
  /** Starts a guest in its own jail. Raises `SANDBOX_UNAVAILABLE` if a required program is missing. */
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
      // The next `launch` reports the reason.
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
