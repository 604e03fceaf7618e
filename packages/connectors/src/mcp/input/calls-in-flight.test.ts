import { SdkError } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallClock, TOTAL } from './calls-in-flight.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a call without progress ends after its time', () => {
  const clock = new CallClock(60, undefined, 200);
  vi.advanceTimersByTime(59);
  expect(clock.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(clock.failure).toBeInstanceOf(SdkError);
});

test('progress starts the time again, up to the total', () => {
  const clock = new CallClock(60, undefined, 200);
  for (let at = 50; at < 200; at += 50) {
    vi.advanceTimersByTime(50);
    clock.extend();
    expect(clock.signal.aborted).toBe(false);
  }
  // A server that always reports progress.
  for (let count = 0; count < 49; count++) {
    vi.advanceTimersByTime(1);
    clock.extend();
  }
  expect(clock.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(Object(clock.failure).data).toBe(TOTAL);
});

test('progress while a person is asked changes nothing', async () => {
  const clock = new CallClock(60, undefined, 200);
  vi.advanceTimersByTime(40);
  await clock.pauseFor(async () => {
    vi.advanceTimersByTime(1_000);
    clock.extend();
  });
  vi.advanceTimersByTime(19);
  expect(clock.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(clock.signal.aborted).toBe(true);
});
