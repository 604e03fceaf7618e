/** When a lease was renewed: milliseconds of the two clocks of its process. */
export interface LeaseTimes {
  readonly wall: number;
  readonly monotonic: number;
}

/** The state of a lease, which all threads of its process share. */
export interface LeaseMemory {
  renewed(): LeaseTimes;
  setRenewed(times: LeaseTimes): void;
  isLost(): boolean;
  lose(): void;
  /** Runs a short step that no other thread runs at the same time. */
  alone<T>(work: () => T): T;
}

const [LOCK, LOST] = [0, 1];
const NUMBERS_AT = 8;
const BYTES = NUMBERS_AT + 2 * Float64Array.BYTES_PER_ELEMENT;

/** Creates the memory of a lease. */
export function createLeaseMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(BYTES);
}

/** Opens the memory of a lease in a thread. A step that waits longer than `lostMs` for another thread loses the lease, and begins. */
export function openLeaseMemory(memory: SharedArrayBuffer, lostMs: number): LeaseMemory {
  const flags = new Int32Array(memory, 0, 2);
  const times = new Float64Array(memory, NUMBERS_AT, 2);
  const lose = () => void Atomics.store(flags, LOST, 1);
  return {
    renewed: () => ({ wall: times[0] ?? 0, monotonic: times[1] ?? 0 }),
    setRenewed: ({ wall, monotonic }) => times.set([wall, monotonic]),
    isLost: () => Atomics.load(flags, LOST) === 1,
    lose,
    alone(work) {
      while (Atomics.compareExchange(flags, LOCK, 0, 1) !== 0) {
        // The other thread hangs in a step of the disk, or was ended.
        if (Atomics.wait(flags, LOCK, 1, lostMs) === 'timed-out') {
          lose();
          break;
        }
      }
      try {
        return work();
      } finally {
        Atomics.store(flags, LOCK, 0);
        Atomics.notify(flags, LOCK);
      }
    },
  };
}
