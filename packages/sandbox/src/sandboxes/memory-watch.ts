import type { GuestProcess } from './guest-process.ts';

/** A process cannot take much memory outside of its budget between two looks. A look takes about 0.05 ms. */
const LOOK_EVERY_MS = 50;

/** Calls `onExceeded` once if the process has more resident memory than this. Returns a function that ends the watch. */
export function watchMemory(guest: GuestProcess, maxBytes: number, onExceeded: () => void): () => void {
  if (guest.residentBytes() === undefined) return () => undefined;
  const watch = setInterval(() => {
    if ((guest.residentBytes() ?? 0) <= maxBytes) return;
    clearInterval(watch);
    onExceeded();
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(watch);
}
