import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGuestPriorities } from './guest-priority.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A guest that records its priority. `mayRaise` is false for a system that refuses to restore one. */
function guest(mayRaise = true) {
  return {
    isLow: false,
    gone: false,
    setLowPriority(isLow: boolean) {
      if (isLow || mayRaise) this.isLow = isLow;
      return this.isLow === isLow;
    },
    kill() {
      this.gone = true;
    },
  };
}

test('a spare guest has a low priority until it serves the only program of a user', () => {
  const priorities = createGuestPriorities(true);
  const spare = guest();
  priorities.startsSpare(spare);
  expect(spare.isLow).toBe(true);
  priorities.serves(spare, () => false);
  expect(spare.isLow).toBe(false);
});

test('further guests of a user have a low priority, also for the processes that they start', () => {
  const further = guest();
  const priority = createGuestPriorities(true).serves(further, () => true);
  expect(further.isLow).toBe(true);
  further.isLow = false;
  priority.apply();
  expect(further.isLow).toBe(true);
});

test('a long program has a low priority, and the next program on its guest has the usual one', () => {
  const only = guest();
  const priority = createGuestPriorities(true).serves(only, () => false);
  vi.advanceTimersByTime(200);
  expect(only.isLow).toBe(false);
  vi.advanceTimersByTime(100);
  expect(only.isLow).toBe(true);
  priority.end(true);
  expect([only.isLow, only.gone]).toEqual([false, false]);
});

test('where no priority can be restored, a lowered guest serves nobody else, and spare guests are not lowered', () => {
  const priorities = createGuestPriorities(false);
  const lowered = guest(false);
  priorities.serves(lowered, () => true).end(true);
  expect(lowered.gone).toBe(true);
  const spare = guest(false);
  priorities.startsSpare(spare);
  expect(spare.isLow).toBe(false);
});
