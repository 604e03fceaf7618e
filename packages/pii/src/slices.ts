import { setImmediate } from 'node:timers';

/** Work that yields after short parts, so that other work of the process can run between them. */
export type Steps<Result = void> = Generator<void, Result>;

/** The result of short work, or the steps of long work. */
export type Later<Result> = Result | Steps<Result>;

/** Characters that are processed between two yields: at most about a millisecond of work. */
export const PART_CHARACTERS = 8_192;
/** Leaves, spans or other small things that are processed between two yields. */
export const PART_ITEMS = 256;
/** Items with more work, such as encryption, that are processed without a look at the time. */
const FEW_ITEMS = 16;
/** Milliseconds of one turn of the event loop that all work in slices has together. */
const SLICE_MS = 2;

/** Does all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does steps that take `characters` characters at once if they are few. */
export function atOnceIfShort<Result>(characters: number, steps: Steps<Result>): Later<Result> {
  return characters <= PART_CHARACTERS ? atOnce(steps) : steps;
}

/**
 * Does all steps, with pauses in which the event loop does other work. Returns the result at once when no pause was needed: then an error of
 * a step is thrown.
 */
export function inSlices<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const step = slice(steps);
  return step.done ? step.value : inLaterTurns(steps);
}

async function inLaterTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const step = slice(steps);
    if (step.done) return step.value;
  }
}

/** Does steps until the turn is spent. Returns the last one. */
function slice<Result>(steps: Steps<Result>): IteratorResult<void, Result> {
  for (;;) {
    const step = steps.next();
    if (step.done || isTurnSpent()) return step;
  }
}

/** Returns the results of `work` on each item, with pauses between items. One item takes at most some 10 µs. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    if (index % FEW_ITEMS === FEW_ITEMS - 1 && isTurnSpent()) await nextTurn();
    results.push(work(item, index));
  }
  return results;
}

/** Resolves in a later turn of the event loop if this turn is spent. Returns undefined otherwise, and `await` then takes no turn. */
export function pauseIfSpent(): Promise<void> | undefined {
  return isTurnSpent() ? nextTurn() : undefined;
}

/** Returns the steps to one text of many parts. To join millions of them at once takes some 100 ms. */
export function* joinSteps(parts: readonly string[]): Steps<string> {
  let whole = '';
  for (let at = 0; at < parts.length; at += PART_ITEMS) {
    if (at > 0) yield;
    whole += parts.slice(at, at + PART_ITEMS).join('');
  }
  return whole;
}

/** When the work of this turn of the event loop began. */
let turnStartedMs: number | undefined;
/** Work that waits for its next slice. */
const waiting: (() => void)[] = [];

/** Checks whether work in slices has had its share of this turn. Short works one after the other share it, too. */
function isTurnSpent(): boolean {
  const now = performance.now();
  if (turnStartedMs !== undefined) return now - turnStartedMs >= SLICE_MS;
  turnStartedMs = now;
  setImmediate(() => {
    turnStartedMs = undefined;
  });
  return false;
}

/** Resolves in a later turn of the event loop. In each turn, one work gets a slice. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}
