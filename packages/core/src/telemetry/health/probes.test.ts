import { expect, it } from 'vitest';
import { type Probed, watchFailures } from './probes.ts';

/** A server with a state that the test sets, and a clock that the test moves. */
function setUp() {
  const clock = { ms: 1_000_000 };
  const server = { state: 'working' as ReturnType<Probed['state']>, probes: 0, next: undefined as number | undefined };
  const probed: Probed = {
    state: () => server.state,
    async probe() {
      server.probes++;
      throw new Error('still away');
    },
    scheduled(atMs) {
      server.next = atMs === undefined ? undefined : atMs - clock.ms;
    },
  };
  const all = [probed];
  const probes = watchFailures(() => all, { now: () => clock.ms, random: () => 0.5 });
  return { clock, server, all, probes };
}

it('probes a failed server after pauses that double up to 5 minutes', async () => {
  const { clock, server, probes } = setUp();
  using _ = probes;
  await probes.look();
  expect([server.probes, server.next]).toEqual([0, undefined]);
  server.state = 'failed';
  await probes.look();
  const pauses = [];
  for (let round = 1; round <= 8; round++) {
    pauses.push(server.next);
    clock.ms += (server.next ?? 0) - 1;
    await probes.look();
    expect(server.probes).toBe(round - 1);
    clock.ms += 1;
    await probes.look();
    expect(server.probes).toBe(round);
  }
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

it('starts again with short pauses after the server worked, and keeps them while an attempt runs', async () => {
  const { clock, server, probes } = setUp();
  using _ = probes;
  server.state = 'failed';
  await probes.look();
  clock.ms += 5_000;
  await probes.look();
  expect(server.next).toBe(10_000);
  server.state = 'unknown';
  clock.ms += 60_000;
  await probes.look();
  expect(server.probes).toBe(1);
  server.state = 'failed';
  await probes.look();
  expect([server.probes, server.next]).toEqual([2, 20_000]);
  server.state = 'working';
  await probes.look();
  expect(server.next).toBeUndefined();
  server.state = 'failed';
  await probes.look();
  expect(server.next).toBe(5_000);
});

it('probes no removed server, and nothing after its end', async () => {
  const { clock, server, all, probes } = setUp();
  server.state = 'failed';
  await probes.look();
  const [removed] = all.splice(0);
  clock.ms += 60_000;
  await probes.look();
  expect([server.probes, server.next]).toEqual([0, undefined]);
  if (removed) all.push(removed);
  await probes.look();
  probes[Symbol.dispose]();
  clock.ms += 60_000;
  await probes.look();
  expect(server.probes).toBe(0);
});

it('runs one probe of a server at a time', async () => {
  let ended: () => void = () => undefined;
  let count = 0;
  let ms = 0;
  const server: Probed = {
    state: () => 'failed',
    probe() {
      count++;
      return new Promise((resolve) => {
        ended = resolve;
      });
    },
    scheduled: () => undefined,
  };
  using probes = watchFailures(() => [server], { now: () => ms, random: () => 0.5 });
  await probes.look();
  ms = 5_000;
  const first = probes.look();
  ms = 900_000;
  await probes.look();
  expect(count).toBe(1);
  ended();
  await first;
});
