import type { LeaseFile, Leases } from './lease.ts';

/**
 * Watches all leases of a folder. Calls `onExpired` for each lease that was not renewed for the expiry time. Only the monotonic
 * clock of this process counts.
 */
export function watchLeases(leases: Leases, onExpired: (file: LeaseFile) => Promise<void>): { close(): void } {
  /** The time at which this process saw each lease file for the first time. */
  let seen = new Map<string, number>();
  const keyOf = ({ task, run, renewals }: LeaseFile) => `${task}.${run}.${renewals}`;
  const look = async () => {
    const files = leases.list();
    const now = performance.now();
    seen = new Map(files.map((file) => [keyOf(file), seen.get(keyOf(file)) ?? now]));
    for (const file of files) {
      if (now - (seen.get(keyOf(file)) ?? now) > leases.times.expiryMs) await onExpired(file);
    }
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, leases.times.renewMs).unref();
  return { close: () => clearInterval(timer) };
}
