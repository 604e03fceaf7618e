import type { GuestProcess } from './guest-process.ts';

/** A guest may use its share of this time at once, and then waits for its next share. */
const PERIOD_MS = 100;
const LOOK_EVERY_MS = 20;
const ALL_PERCENT = 100;

/**
 * Keeps a guest below a share of one processor: when it has used more than its share, the host stops it until it has not. Does
 * nothing for a whole processor, and where the system does not report the time of processes. Returns a function that ends the
 * watch and continues the guest.
 */
export function watchProcessor(guest: GuestProcess, percent: number): () => void {
  const startMs = percent < ALL_PERCENT ? guest.processorMs() : undefined;
  if (startMs === undefined) return () => undefined;
  const share = percent / ALL_PERCENT;
  let lastMs = startMs;
  let lastAt = performance.now();
  // The time that the guest may use now. It saves no more than the share of one period.
  let creditMs = share * PERIOD_MS;
  let isStopped = false;
  const watch = setInterval(() => {
    const usedMs = guest.processorMs() ?? lastMs;
    const now = performance.now();
    creditMs = Math.min(share * PERIOD_MS, creditMs + share * (now - lastAt)) - (usedMs - lastMs);
    [lastMs, lastAt] = [usedMs, now];
    const wasStopped = isStopped;
    isStopped = creditMs < 0;
    // Sent again at each look: a process that started meanwhile, or that another one continued, stops too.
    if (isStopped || wasStopped) guest.setStopped(isStopped);
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(watch);
    if (isStopped) guest.setStopped(false);
  };
}
