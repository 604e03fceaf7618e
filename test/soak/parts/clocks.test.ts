import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, test } from 'vitest';
import { startCluster } from '../../cluster/cluster.ts';
import { needsPostgres } from '../../fixtures/postgres.ts';
import { needsRedis } from '../../fixtures/redis.ts';
import type { Work } from '../clients.ts';
import { startService } from '../served.ts';
import { underFaults } from '../steady.ts';

const USERS = 2;
const MINUTES_MS = 10 * 60_000;
const SLEEP_MS = 3_000;
/** Programs that sleep, one after the other. */
const SLEEPERS = 6;
/** Milliseconds in which clients work with a clock. */
const WORK_MS = 15_000;
const PART_MS = 900_000;
const LOG_CHARACTERS = 5_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The environment of a process whose clock is wrong by some milliseconds. */
const clock = (ms: number) => ({
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('../moved-clock.mjs', import.meta.url))}`,
  MOVED_CLOCK_MS: String(ms),
});

/** Runs programs that sleep, and then have an effect. One that sleeps for minutes has no definite answer in time. */
async function sleepers({ requests, ledger }: Work): Promise<void> {
  const run = async () => {
    const id = ledger.newId();
    const code = `await utils.sleep(${SLEEP_MS}); await callMCPTool('pipe__record', { id: '${id}' }); return ['${id}']`;
    const begun = await requests.once(ledger.newId(), { code });
    if (begun === undefined) return;
    const path = `/executions/${begun.body.executionId}`;
    for (const end = performance.now() + MINUTES_MS / 10; performance.now() < end; ) {
      const found = await requests.send(path);
      if (found?.body.status === 'completed') {
        ledger.effects([id]);
        return requests.count('programs that slept');
      }
      await sleep(500);
    }
    requests.count('executions without an end');
  };
  await Promise.all(Array.from({ length: SLEEPERS }, run));
}

test.runIf(process.platform === 'linux')(
  'an embedded server whose clock jumps by 20 minutes, back and forth',
  { timeout: PART_MS },
  async () => {
    const service = await startService(USERS, clock(MINUTES_MS));
    closing.push(service.close);
    const place = { name: 'serve', url: service.url, pid: service.pid, isApi: true };
    const details = () => readFileSync(service.log, 'utf8').slice(-LOG_CHARACTERS);
    const jump = async (work: Work) => {
      const sleeping = sleepers(work);
      await sleep(SLEEP_MS / 2);
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
      const late = clock(-MINUTES_MS);
      const early = clock(MINUTES_MS);
      const envOf = (name: string) => ({ 'api-1': late, 'worker-1': early })[name] ?? {};
      const cluster = await startCluster({ apis: 2, workers: 2, users: USERS, envOf });
      closing.push(cluster.close);
      const places = cluster.nodes.map(({ name, url, pid, role }) => ({ name, url, pid, isApi: role !== 'worker' }));
      const details = () =>
        cluster.nodes.map(({ name, log }) => `${name}\n${readFileSync(log, 'utf8').slice(-LOG_CHARACTERS)}`).join('\n');
      const work = async (given: Work) => void (await Promise.all([sleepers(given), sleep(WORK_MS)]));
      const jump = async (given: Work) => {
        const sleeping = sleepers(given);
        await sleep(SLEEP_MS / 2);
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
