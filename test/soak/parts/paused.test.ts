import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, test } from 'vitest';
import { KEY_LEASE_MS } from '../../../packages/server/src/http/requests/idempotency/key-owner.ts';
import { WORK_LEASE_MS } from '../../../packages/server/src/queue/queue.ts';
import { LEASE_TTL_MS } from '../../../packages/storage/src/leases/owner.ts';
import { startCluster } from '../../cluster/cluster.ts';
import { needsPostgres } from '../../fixtures/postgres.ts';
import { needsRedis } from '../../fixtures/redis.ts';
import { startService } from '../served.ts';
import { type Place, underFaults } from '../steady.ts';

const USERS = 2;
const PART_MS = 900_000;
const LOG_CHARACTERS = 5_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Pauses a process for twice its lease. */
const pause = async (place: Place | undefined, leaseMs: number) => {
  if (!place) throw new Error('There is no such process.');
  process.kill(place.pid, 'SIGSTOP');
  await sleep(2 * leaseMs);
  process.kill(place.pid, 'SIGCONT');
};

test.runIf(process.platform === 'linux')('an embedded server is paused', { timeout: PART_MS }, async () => {
  const service = await startService(USERS);
  closing.push(service.close);
  const place: Place = { name: 'serve', url: service.url, pid: service.pid, isApi: true };
  const details = () => readFileSync(service.log, 'utf8').slice(-LOG_CHARACTERS);
  await underFaults(
    'An embedded server is paused',
    { places: [place], users: service.users, effects: service.effects, details },
    { 'serve is paused': () => pause(place, LEASE_TTL_MS) },
  );
});

needsPostgres.describe('a cluster', () => {
  needsRedis.it(
    'with paused processes',
    async () => {
      const cluster = await startCluster({ apis: 2, workers: 2, users: USERS });
      closing.push(cluster.close);
      const places = cluster.nodes.map(({ name, url, pid, role }) => ({ name, url, pid, isApi: role !== 'worker' }));
      const find = (wanted: string) => places.find(({ name }) => name === wanted);
      const details = () =>
        cluster.nodes.map(({ name, log }) => `${name}\n${readFileSync(log, 'utf8').slice(-LOG_CHARACTERS)}`).join('\n');
      await underFaults(
        'The processes of a cluster are paused',
        { places, users: cluster.users, effects: cluster.effects, details },
        {
          'api is paused': () => pause(find('api-1'), KEY_LEASE_MS),
          'worker is paused': () => pause(find('worker-1'), WORK_LEASE_MS),
        },
      );
    },
    PART_MS,
  );
});
