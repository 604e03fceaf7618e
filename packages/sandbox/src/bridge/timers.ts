/** The timers of one guest. */
export interface GuestTimers {
  /** Resolves to the JSON text `null` after the requested time. */
  sleep(milliseconds: unknown): Promise<string>;
  clear(): void;
}

/** Creates the timers of one guest; none is longer than `maxMs` milliseconds. */
export function createTimers(maxMs: number): GuestTimers {
  const timers = new Set<NodeJS.Timeout>();
  return {
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        const delay = Math.min(typeof milliseconds === 'number' ? Math.max(0, milliseconds) : 0, maxMs);
        const timer = setTimeout(() => {
          timers.delete(timer);
          resolve('null');
        }, delay);
        timers.add(timer);
      }),
    clear() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
