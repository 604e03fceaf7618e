import { setImmediate } from 'node:timers';

/** Work that yields after short parts, so that other work of the process can run between them. */
export type Steps<Result = void> = Generator<void, Result>;

/** Characters that are scanned between two yields: at most about a millisecond of work. */
export const PART_CHARACTERS = 8_192;
/** Milliseconds after which work in slices lets other work run. */
const SLICE_MS = 4;

/** Does all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does all steps, with pauses in which the event loop does other work. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  let startedMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - startedMs < SLICE_MS) continue;
    await turn();
    startedMs = performance.now();
  }
}

/** Work that waits for its next slice. */
const waiting: (() => void)[] = [];

/** Resolves in a later turn of the event loop. In each turn, one work gets a slice. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}
