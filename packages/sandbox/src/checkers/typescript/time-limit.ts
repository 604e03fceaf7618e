/** The time of one check: it runs from the start, and stands still while `paused` work runs. */
export interface TimeLimit {
  /** The remaining milliseconds; 0 after the limit. */
  remainingMs(): number;
  /** Runs work that does not count. */
  paused<T>(work: () => Promise<T>): Promise<T>;
  /** Runs the check. Rejects with {@link TimeLimitReached} after the limit; the work goes on, and its result is ignored. */
  within<T>(work: Promise<T>): Promise<T>;
}

/** A check that has used its time. */
export class TimeLimitReached extends Error {}

/** Starts the time of a check. `limitMs` is asked again when it is over: the limit may grow while a compiler starts. */
export function startTimeLimit(limitMs: () => number): TimeLimit {
  let since = performance.now();
  let usedMs = 0;
  let pauses = 0;
  const remainingMs = () => Math.max(0, limitMs() - usedMs - (pauses > 0 ? 0 : performance.now() - since));
  return {
    remainingMs,
    async paused(work) {
      if (pauses++ === 0) usedMs += performance.now() - since;
      try {
        return await work();
      } finally {
        if (--pauses === 0) since = performance.now();
      }
    },
    async within(work) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        const look = () => {
          const left = remainingMs();
          if (left <= 0) reject(new TimeLimitReached());
          else timer = setTimeout(look, left);
        };
        look();
      });
      work.catch(() => undefined);
      try {
        return await Promise.race([work, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
