/** A pause between two starts. Starting a process blocks the event loop: other work gets at least half of its time. */
export interface StartPause {
  isActive(): boolean;
  /** Runs a start, and begins a pause that lasts as long as it took, and at least one turn of the event loop. */
  after<T>(start: () => T): T;
  cancel(): void;
}

/** Starts that take less time are followed by one turn of the event loop: timers have no shorter time. */
const MIN_PAUSE_MS = 1;

/** Creates a pause; `onEnd` is called after it. */
export function createStartPause(onEnd: () => void): StartPause {
  let ending: (() => void) | undefined;
  const end = () => {
    ending = undefined;
    onEnd();
  };
  const begin = (ms: number) => {
    ending?.();
    if (ms < MIN_PAUSE_MS) {
      const turn = setImmediate(end);
      ending = () => clearImmediate(turn);
    } else {
      const timer = setTimeout(end, ms);
      ending = () => clearTimeout(timer);
    }
  };
  return {
    isActive: () => ending !== undefined,
    after(start) {
      const startedAt = performance.now();
      try {
        return start();
      } finally {
        begin(performance.now() - startedAt);
      }
    },
    cancel: () => ending?.(),
  };
}
