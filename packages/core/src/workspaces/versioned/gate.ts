/** Lets many operations use a folder at once, or one step change it as a whole. */
export interface Gate {
  /** Waits for a running step, and enters. The result leaves again. An operation enters once: a step may wait between. */
  enter(): Promise<() => void>;
  /** Runs a step while no operation is inside. Steps run in their order, before operations that came later. */
  alone<T>(step: () => Promise<T>): Promise<T>;
}

/** Creates the gate of one folder. */
export function createGate(): Gate {
  let inside = 0;
  let steps = 0;
  let last: Promise<unknown> = Promise.resolve();
  let emptied: (() => void) | undefined;
  const leave = () => {
    inside--;
    if (inside === 0) emptied?.();
  };
  const empty = async () => {
    if (inside === 0) return;
    await new Promise<void>((resolve) => {
      emptied = resolve;
    });
    emptied = undefined;
  };
  return {
    async enter() {
      while (steps > 0) await last;
      inside++;
      let isInside = true;
      return () => {
        if (isInside) leave();
        isInside = false;
      };
    },
    alone(step) {
      steps++;
      const result = last.then(empty).then(step);
      last = result
        .catch(() => undefined)
        .then(() => {
          steps--;
        });
      return result;
    },
  };
}
