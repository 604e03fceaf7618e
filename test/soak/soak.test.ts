import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { createRandom } from '../fixtures/random.ts';
import { breakUntil } from './faults.ts';
import { percentile, probeUntil } from './health.ts';
import { attackUntil } from './hostile.ts';
import { type Balance, createLedger, type Ledger } from './ledger.ts';
import { loadUntil } from './load.ts';
import { atMost, type Figure, finish, shown } from './report.ts';
import { requestsOf, type Tally } from './requests.ts';
import { measure, resourceFigures, settle } from './resources.ts';
import { crashAndRepeat, survivesCrashes } from './restart.ts';
import { type Service, startService } from './served.ts';

const LONG_SECONDS = 600;
const SECONDS = Number(process.env.TOOLWRIGHT_SOAK_SECONDS ?? LONG_SECONDS);
const SEED = Number(process.env.TOOLWRIGHT_SOAK_SEED ?? 1);
const IS_LONG = SECONDS >= LONG_SECONDS;
/** The goal on two cores that do nothing else. The short form shares its machine with other jobs. */
const HEALTH_P99_MS = IS_LONG ? 250 : 5_000;
const USERS = 4;
const CLIENTS = 6;
const WARM_SHARE = 0.2;
/** Requests whose clients left end meanwhile. */
const PAUSE_MS = 8_000;
const RESTARTS = IS_LONG ? 10 : 2;
const MIB = 1024 * 1024;
/** More memory than after the first part. In the short form, that part ends before the heap has its usual size. */
const MORE_BYTES = (IS_LONG ? 50 : 150) * MIB;
/** Settling, rechecks and restarts, in addition to the load. */
const MORE_MS = 300_000;

let service: Service;
let ledger: Ledger;
const tally: Tally = new Map();

beforeAll(async () => {
  service = await startService(USERS);
  ledger = createLedger(service.effects);
});
afterAll(() => service?.close());

test(`the service survives ${SECONDS} s of load, faults and hostile programs`, {
  timeout: SECONDS * 1_000 + MORE_MS,
}, async () => {
  // The first part fills the pools and caches.
  await underLoad(SECONDS * WARM_SHARE, 0);
  await sleep(PAUSE_MS);
  const before = measure(service);
  const { pid } = service;
  const times = await underLoad(SECONDS * (1 - WARM_SHARE), 1);
  const hasEnded = service.hasEnded() || service.pid !== pid;
  const after = hasEnded ? before : await settle(service, before, MORE_BYTES);
  const balance = await ledger.balance();
  const figures: Figure[] = [
    ...[...tally].map(([name, count]) => shown(name, count)),
    shown('acknowledged effects and data', balance.acknowledged),
    atMost('lost', balance.lost.length, 0),
    atMost('doubled effects', balance.doubled.length, 0),
    atMost('changed answers of a key', tally.get('changed answers') ?? 0, 0),
    atMost('internal errors', tally.get('internal errors') ?? 0, 0),
    atMost('ends of the process', hasEnded ? 1 : 0, 0),
    shown('/health p50', `${percentile(times, 0.5).toFixed(1)} ms`),
    atMost('/health p99', percentile(times, 0.99), HEALTH_P99_MS, ' ms'),
    ...resourceFigures(before, after, MORE_BYTES),
  ];
  report(figures, balance);
});

test('an acknowledged answer survives kill -9, and no effect is doubled', { timeout: MORE_MS }, async (context) => {
  if (!(await survivesCrashes(service))) return context.skip('this version keeps idempotency keys in memory only');
  const random = createRandom(SEED);
  for (let index = 0; index < RESTARTS; index++) await crashAndRepeat(service, ledger, random, tally);
  const balance = await ledger.balance();
  const figures = [
    shown('restarts', tally.get('restarts') ?? 0),
    shown('acknowledged effects and data', balance.acknowledged),
    atMost('lost', balance.lost.length, 0),
    atMost('doubled effects', balance.doubled.length, 0),
    atMost('requests without a definite answer', tally.get('no definite answer') ?? 0, 0),
  ];
  report(figures, balance);
});

/** Runs clients, a hostile user and faults for some seconds. Returns the times of `/health`. */
async function underLoad(seconds: number, part: number): Promise<number[]> {
  const ending = AbortSignal.timeout(seconds * 1_000);
  const work = (user: Service['hostile'], index: number) => ({
    requests: requestsOf(service, user, tally),
    ledger,
    random: createRandom(SEED * 10_000 + part * 100 + index),
  });
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    const user = service.users[index % USERS];
    return user && loadUntil(ending, work(user, index));
  });
  const faults = breakUntil(ending, service, createRandom(SEED * 10_000 + part), tally);
  const times = probeUntil(ending, service.url);
  await Promise.all([...clients, attackUntil(ending, work(service.hostile, CLIENTS)), faults]);
  return times;
}

/** Prints the figures. Raises an error with the broken bounds, after the lost and doubled effects and the end of the log. */
function report(figures: readonly Figure[], { lost, doubled }: Balance): void {
  finish(`Seed ${SEED}, ${SECONDS} s`, figures, () => {
    const log = readFileSync(service.log, 'utf8').slice(-10_000);
    return `${JSON.stringify({ lost: lost.slice(0, 20), doubled: doubled.slice(0, 20) })}\n${log}`;
  });
}
