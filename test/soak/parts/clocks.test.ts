import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, test } from 'vitest';
import { sleeper } from '../../cluster/clients.ts';
import { startCluster } from '../../cluster/cluster.ts';
import { needsPostgres } from '../../fixtures/postgres.ts';
import { needsRedis } from '../../fixtures/redis.ts';
import type { Work } from '../clients.ts';
import { movedClock } from '../programs.ts';
import { startService } from '../served.ts';
import { underFaults } from '../steady.ts';

const USERS = 2;
const MINUTES_MS = 10 * 60_000;
/** Milliseconds after which programs still sleep. */
const ASLEEP_MS = 1_500;
/** Programs that sleep at once. */
const SLEEPERS = 6;
/** Milliseconds in which clients work with a clock. */
const WORK_MS = 15_000;
const PART_MS = 900_000;
const LOG_CHARACTERS = 5_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Runs programs that sleep at once. */
const sleepers = (work: Work) => Promise.all(Array.from({ length: SLEEPERS }, () => sleeper(work)));

test.runIf(process.platform === 'linux')(
  'an embedded server whose clock jumps by 20 minutes, back and forth',
  { timeout: PART_MS },
  async () => {
    const service = await startService(USERS, movedClock(MINUTES_MS));
    closing.push(service.close);
    const place = { name: 'serve', url: service.url, pid: service.pid, isApi: true };
    const details = () => readFileSync(service.log, 'utf8').slice(-LOG_CHARACTERS);
    const jump = async (work: Work) => {
      const sleeping = sleepers(work);
      await sleep(ASLEEP_MS);
      process.kill(service.pid, 'SIGUSR2');
      await Promise.all([sleeping, sleep(WORK_MS)]);
    };
    await underFaults(
      'The clock of an embedded server jumps by 20 minutes',
      { places: [place], users: service.users, effects: service.effects, details },
      { 'the clock jumps back': jump, 'the clock jumps forward': jump },
    );
  },
);

needsPostgres.describe('a cluster', () => {
  needsRedis.it(
    'with clocks that are 10 minutes late and early',
    async () => {
      const late = movedClock(-MINUTES_MS);
      const early = movedClock(MINUTES_MS);
      const envOf = (name: string) => ({ 'api-1': late, 'worker-1': early })[name] ?? {};
      const cluster = await startCluster({ apis: 2, workers: 2, users: USERS, envOf });
      closing.push(cluster.close);
      const places = cluster.nodes.map(({ name, url, pid, role }) => ({ name, url, pid, isApi: role !== 'worker' }));
      const details = () =>
        cluster.nodes.map(({ name, log }) => `${name}\n${readFileSync(log, 'utf8').slice(-LOG_CHARACTERS)}`).join('\n');
      const work = async (given: Work) => void (await Promise.all([sleepers(given), sleep(WORK_MS)]));
      const jump = async (given: Work) => {
        const sleeping = sleepers(given);
        await sleep(ASLEEP_MS);
        for (const { name, pid } of places) if (Object.keys(envOf(name)).length > 0) process.kill(pid, 'SIGUSR2');
        await Promise.all([sleeping, sleep(WORK_MS)]);
      };
      await underFaults(
        'The clocks of a cluster are 10 minutes late and early',
        { places, users: cluster.users, effects: cluster.effects, details },
        { 'clocks that differ': work, 'clocks that jump': jump },
      );
    },
    PART_MS,
  );
});
