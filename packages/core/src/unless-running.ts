/**
 * Returns a function that starts some work unless that still runs. It is for work that repeats: a failure is dropped, because
 * the next time tries again.
 */
export function unlessRunning(work: () => Promise<unknown>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    void work()
      .catch(() => undefined)
      .finally(() => {
        isRunning = false;
      });
  };
}

/** Repeats some work, one time after the other. A failure ends with the next time. Returns the function that ends it. */
export function startBeat(intervalMs: number, work: () => Promise<unknown>): () => void {
  const timer = setInterval(unlessRunning(work), intervalMs).unref();
  return () => clearInterval(timer);
}
