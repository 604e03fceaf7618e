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
