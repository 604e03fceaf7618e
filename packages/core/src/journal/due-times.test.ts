import { expect, it } from 'vitest';
import { createClock } from '../../../storage/src/postgres/clock.ts';
import { machineDueTimes } from './due-times.ts';

const HOUR_MS = 3_600_000;

it('on one machine, a time comes closer by a clock that nobody sets, and later processes compare it with the wall clock', () => {
  let [wallMs, elapsedMs] = [1_000_000_000, 0];
  const pass = (ms: number) => {
    wallMs += ms;
    elapsedMs += ms;
  };
  const open = () => machineDueTimes({ wall: () => wallMs, elapsed: () => elapsedMs });
  const own = open();
  const dueMs = own.dueIn(60_000);
  expect([dueMs, own.leftMs(dueMs)]).toEqual([wallMs + 60_000, 60_000]);
  pass(20_000);
  for (const jumpMs of [-2 * HOUR_MS, 2 * HOUR_MS, 40 * 24 * HOUR_MS]) {
    wallMs += jumpMs;
    expect(own.leftMs(dueMs)).toBe(40_000);
    wallMs -= jumpMs;
  }
  expect(open().leftMs(dueMs)).toBe(40_000);
  // The clock jumps between the making of a time and its first use.
  const unseenMs = own.dueIn(60_000);
  wallMs -= HOUR_MS;
  expect(own.leftMs(unseenMs)).toBe(60_000);
  wallMs += HOUR_MS;
  pass(40_000);
  wallMs -= HOUR_MS;
  expect(own.leftMs(dueMs)).toBe(0);
});

it('reads the clock of a database by its most precise statement, and again when the reading is old', () => {
  let elapsedMs = 0;
  const clock = createClock(() => elapsedMs);
  elapsedMs = 1_000;
  // The database read its clock at 900 at the latest and at 0 at the earliest.
  clock.add(10 * HOUR_MS, 1_000);
  expect(clock.now()).toBe(10 * HOUR_MS + 500);
  clock.add(10 * HOUR_MS + 1_000, 2);
  expect(clock.now()).toBe(10 * HOUR_MS + 1_001);
  elapsedMs += 5_000;
  // The event loop was busy: a statement that took so long has a large error.
  clock.add(10 * HOUR_MS, 4_000);
  expect(clock.now()).toBe(10 * HOUR_MS + 6_001);
  elapsedMs += HOUR_MS;
  clock.add(12 * HOUR_MS, 40);
  expect(clock.now()).toBe(12 * HOUR_MS + 20);
});
