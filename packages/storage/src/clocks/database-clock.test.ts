import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { openSqlite } from '../sqlite/database.ts';
import { createClock, databaseClock } from './database-clock.ts';
import { timeBy } from './machine-clock.ts';

const HOUR_MS = 3_600_000;

it('on one machine, each process has the clock of the tables, also after somebody has set that of people', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const [path, other] = ['state.db', 'other.db'].map((name) => join(temporaryFolder(), name)) as [string, string];
  await using first = openSqlite(path);
  await first.read('select 1');
  await first[Symbol.asyncDispose]();
  copyFileSync(path, other);
  const real = Date.now();
  for (const jumpMs of [-2 * HOUR_MS, 2 * HOUR_MS, 40 * 24 * HOUR_MS]) {
    vi.spyOn(Date, 'now').mockReturnValue(real + jumpMs);
    // The same tables under another path are those of a process that has not read the clock yet.
    await using later = openSqlite(other);
    await later.read('select 1');
    for (const name of [path, other]) {
      const now = databaseClock(pathToFileURL(name).href).now();
      expect(Math.abs(now - real)).toBeLessThan(60_000);
    }
  }
});

it('counts the time in which the machine slept, and no other that the wall clock is ahead', () => {
  const clockMs = 10 * HOUR_MS;
  expect(timeBy(clockMs, clockMs + HOUR_MS, HOUR_MS)).toBe(clockMs + HOUR_MS);
  expect(timeBy(clockMs, clockMs + HOUR_MS, 0)).toBe(clockMs);
  expect(timeBy(clockMs, clockMs - HOUR_MS, HOUR_MS)).toBe(clockMs);
  expect(timeBy(clockMs, clockMs + 3 * HOUR_MS, HOUR_MS)).toBe(clockMs);
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
