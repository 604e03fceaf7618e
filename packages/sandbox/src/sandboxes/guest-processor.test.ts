import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGuestPriorities } from './guest-processor.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A guest that records its priority. `mayRaise` is false for a system that refuses to restore one. */
function guest(mayRaise = true) {
  return {
    niceness: 0,
    gone: false,
    setNiceness(niceness: number) {
      if (niceness > this.niceness || mayRaise) this.niceness = niceness;
      return this.niceness === niceness;
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
  expect(spare.niceness).toBe(10);
  priorities.serves(spare, () => false);
  expect(spare.niceness).toBe(0);
});

test('the priority of a started guest is restored once, for all processes that it had while it started', () => {
  const priorities = createGuestPriorities(true);
  const spare = guest();
  priorities.startsSpare(spare);
  const first = priorities.serves(spare, () => false);
  spare.niceness = 10;
  first.apply();
  expect(spare.niceness).toBe(0);
  const setNiceness = vi.spyOn(spare, 'setNiceness');
  first.end(true);
  priorities.serves(spare, () => false).apply();
  expect(setNiceness).not.toHaveBeenCalled();
});

test('further guests of a user have a low priority, also for the processes that they start', () => {
  const further = guest();
  const priority = createGuestPriorities(true).serves(further, () => true);
  expect(further.niceness).toBe(10);
  further.niceness = 0;
  priority.apply();
  expect(further.niceness).toBe(10);
});

test('a long program has a low priority, and the next program on its guest has the usual one', () => {
  const only = guest();
  const priority = createGuestPriorities(true).serves(only, () => false);
  vi.advanceTimersByTime(200);
  expect(only.niceness).toBe(0);
  vi.advanceTimersByTime(100);
  expect(only.niceness).toBe(5);
  priority.end(true);
  expect([only.niceness, only.gone]).toEqual([0, false]);
});

test('where no priority can be restored, a lowered guest serves nobody else, and spare guests are not lowered', () => {
  const priorities = createGuestPriorities(false);
  const lowered = guest(false);
  priorities.serves(lowered, () => true).end(true);
  expect(lowered.gone).toBe(true);
  const spare = guest(false);
  priorities.startsSpare(spare);
  expect(spare.niceness).toBe(0);
});
