import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needsRedis, startRedis, type TestRedis } from '../../../../../test/fixtures/redis.ts';
import { busCases, runBusCase } from '../../../../../test/suites/buses.ts';
import type { Bus } from './bus.ts';
import { memoryBus } from './memory.ts';
import { redisBus } from './redis.ts';

async function reaches(bus: Bus, message: string, seen: readonly string[]): Promise<void> {
  const publish = () => {
    bus.publish('topic', message);
    return seen;
  };
  await expect.poll(publish, { timeout: 10_000 }).toContain(message);
}

describe('memory', () => {
  it.for(busCases)('$name', (testCase) => {
    const bus = memoryBus();
    return runBusCase(async () => ({ bus, other: bus }), testCase);
  });
});

needsRedis.describe('redis', () => {
  let redis: TestRedis;
  const sealing = { key: randomBytes(32), logger: { warn: () => undefined } };
  const open = (prefix?: string) => redisBus({ url: redis.url, ...sealing, ...(prefix ? { prefix } : {}) });
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  it.for(busCases)('$name', (testCase) =>
    runBusCase(async () => ({ bus: await open(), other: await open() }), testCase),
  );

  it('keeps clusters with different prefixes apart, and subscribes again after a restart of the server', async () => {
    await using bus = await open('blue:');
    await using green = await open('green:');
    const seen: string[] = [];
    let gaps = 0;
    bus.subscribe('topic', (message) => seen.push(message));
    bus.onGap(() => gaps++);
    green.publish('topic', 'of another cluster');
    await reaches(bus, 'first', seen);
    await redis.restart();
    await reaches(bus, 'second', seen);
    expect([gaps > 0, seen.includes('of another cluster')]).toEqual([true, false]);
  });
});
