import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { workClaimed, workReconciled } from '../diagnostics.ts';
import { watchRedis } from './metrics.ts';
import { watchWork } from './work.ts';

it('has the numbers of the cluster from one reading, and counts the work of this process', async () => {
  const registry = new Registry();
  let reads = 0;
  const counts = { ready: 3, running: 2, waiting: 1, oldestReadyMs: 1_500, leaseAgeMs: 250 };
  const stop = watchWork(registry, async () => {
    reads++;
    return counts;
  });
  workClaimed.publish({ kind: 'execution', waitedMs: 4 });
  workClaimed.publish({ kind: 'execution', waitedMs: 4, lostMs: 6_000 });
  workReconciled.publish({ jobs: 7, revived: 1 });
  const text = await registry.metrics();
  const metricOf = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  expect(reads).toBe(1);
  expect(['ready', 'running', 'waiting'].map((state) => metricOf(`toolwright_work{state="${state}"}`))).toEqual([
    3, 2, 1,
  ]);
  const names = [
    'oldest_ready_seconds',
    'lease_age_seconds',
    'replays_total',
    'resume_seconds_sum',
    'reconciled_jobs_total',
  ];
  expect(names.map((name) => metricOf(`toolwright_work_${name}`))).toEqual([1.5, 0.25, 1, 6, 7]);
  expect(metricOf('toolwright_work_claims_total{kind="execution"}')).toBe(2);
  stop();
});

it('leaves the numbers of the cluster out while the database does not answer', async () => {
  const registry = new Registry();
  const stop = watchWork(registry, () => Promise.reject(new Error('away')));
  expect(await registry.metrics()).not.toMatch(/^toolwright_work(_oldest_ready_seconds|_lease_age_seconds|\{)/m);
  stop();
});

it('has the state of Redis, except in a cluster without it', async () => {
  const registry = new Registry();
  let state: 'none' | 'connected' | 'degraded' = 'connected';
  watchRedis(registry, () => state);
  const samples = async () => (await registry.metrics()).split('\n').filter((line) => /^toolwright/.test(line));
  expect(await samples()).toEqual(['toolwright_redis_connected 1']);
  state = 'degraded';
  expect(await samples()).toEqual(['toolwright_redis_connected 0']);
  state = 'none';
  expect(await samples()).toEqual([]);
});
