import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hintWhenForgotten } from './open-hint.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the warnings when a process holds these kinds of resources at each look, and executions run or not. */
function warnings(looks: readonly (readonly string[])[], isIdle = true): string[] {
  const found: string[] = [];
  let look = 0;
  using _hint = hintWhenForgotten(
    () => isIdle,
    (text) => void found.push(text),
    () => looks[look++] ?? [],
  );
  vi.advanceTimersByTime(60_000);
  return found;
}

const OWN = ['PipeWrap', 'ProcessWrap', 'TTYWrap'];

test('a process that only servers and sandboxes keep alive gets one warning', () => {
  expect(warnings([OWN, OWN, OWN, OWN])).toEqual([expect.stringContaining('Call close()')]);
});

test('a process that waits for its program gets none', () => {
  expect(warnings([OWN, OWN, OWN, OWN], false)).toEqual([]);
});

test('a process with other work, or without a server, gets none', () => {
  const busy = [...OWN, 'Timeout'];
  expect(warnings([OWN, busy, OWN, busy])).toEqual([]);
  expect(
    warnings([
      [...OWN, 'TCPServerWrap'],
      [...OWN, 'TCPServerWrap'],
    ]),
  ).toEqual([]);
  expect(warnings([['TTYWrap'], ['TTYWrap'], []])).toEqual([]);
});
