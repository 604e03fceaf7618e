import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWaits, type Wait } from './waits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const GRACE_MS = 1_000;

function started(isIdle = true) {
  const changes: boolean[] = [];
  let longs = 0;
  const waits = createWaits({
    graceMs: GRACE_MS,
    dueTimes: { leftMs: () => 0, dueIn: (ms: number) => ms } as never,
    onChange: (isWaiting) => changes.push(isWaiting),
    onLong: () => longs++,
  });
  waits.watch({ whenIdle: () => (isIdle ? Promise.resolve() : new Promise(() => undefined)) } as never);
  waits.start();
  return { waits, changes, longs: () => longs };
}

const question: Wait = { kind: 'approval', untilMs: 0 };

test('a slow tool call is no time of the program', async () => {
  const { waits, changes } = started();
  waits.look(1);
  const end = waits.beginCall();
  await vi.advanceTimersByTimeAsync(400);
  expect(changes).toEqual([]);
  await vi.advanceTimersByTimeAsync(300_000);
  end();
  waits.look(-1);
  expect(changes).toEqual([true, false]);
  expect(waits.ranMs()).toBeLessThanOrEqual(500);
});

test('a quick call, and a call during work of the program, are its time', async () => {
  const { waits, changes } = started(false);
  waits.look(1);
  const end = waits.beginCall();
  await vi.advanceTimersByTimeAsync(10_000);
  end();
  waits.look(-1);
  expect([changes, Math.round(waits.ranMs())]).toEqual([[], 10_000]);
});

test('other requests during a slow call are time of the program', async () => {
  const { waits, changes } = started();
  waits.look(1);
  waits.beginCall();
  waits.look(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(changes).toEqual([]);
});

test('a program is not suspended while a server works for it', async () => {
  const { waits, longs } = started();
  waits.look(1);
  const end = waits.beginCall();
  waits.look(1);
  waits.begin(question);
  await vi.advanceTimersByTimeAsync(10 * GRACE_MS);
  expect([longs(), waits.isWaiting()]).toEqual([0, false]);
  end();
  waits.look(-1);
  await vi.advanceTimersByTimeAsync(GRACE_MS);
  expect([longs(), waits.isWaiting()]).toEqual([1, true]);
});

test('a slow call that asks a person waits for that person', async () => {
  const { waits, longs } = started();
  waits.look(1);
  waits.beginCall();
  await vi.advanceTimersByTimeAsync(600);
  waits.begin(question);
  await vi.advanceTimersByTimeAsync(GRACE_MS);
  expect([longs(), waits.isWaiting()]).toEqual([1, true]);
});
