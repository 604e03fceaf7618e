import type { Output } from '@toolwright/core/command';

const EVERY_MS = 5_000;

/** Returns a function that reports the number of copied things now and then. */
export function reportCopied({ err }: Output, things: string): (count: number) => void {
  let reportedMs = performance.now();
  return (count) => {
    if (performance.now() - reportedMs < EVERY_MS) return;
    reportedMs = performance.now();
    err(`Copied ${count} ${things} so far.`);
  };
}
