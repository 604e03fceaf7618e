import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../fixtures/random.ts';
import type { Tally } from '../soak/requests.ts';
import type { Nodes } from './cluster.ts';

/** How often parts of a cluster fail, in a time. */
export interface Faults {
  /** Milliseconds between two kills of processes. */
  readonly killEachMs: number;
  /** Numbers of pauses of processes, by their seconds. */
  readonly pauses: Readonly<Record<number, number>>;
  readonly redisFlushes: number;
  /** Each time, Redis is away for a fortieth of the time, and empty afterwards. */
  readonly redisStops: number;
  readonly postgresRestarts: number;
}

const WAIT_MS = 250;

/** Breaks parts of the cluster until the signal aborts. Rejects if a process does not start again. */
export async function breakCluster(
  signal: AbortSignal,
  cluster: Nodes,
  { faults, totalMs, random, tally }: BreakOptions,
): Promise<void> {
  const { redis, postgres } = cluster;
  const count = (name: string) => void tally.set(name, (tally.get(name) ?? 0) + 1);
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  /** Runs a fault a number of times, at even distances. */
  const repeat = async (name: string, times: number, fault: () => Promise<void>) => {
    for (let done = 0; done < times; done++) {
      await pause(totalMs / (times + 1));
      if (signal.aborted) return;
      await fault();
      count(name);
    }
  };
  /** Returns a process that is up; undefined after the end. */
  const nodeUp = async () => {
    while (!signal.aborted) {
      const up = cluster.nodes.filter(({ isUp }) => isUp);
      if (up.length > 0) return random.pick(up);
      await pause(WAIT_MS);
    }
    return undefined;
  };
  const kill = async () => {
    const starts: Promise<void>[] = [];
    while (!signal.aborted) {
      await pause(faults.killEachMs);
      const node = await nodeUp();
      if (!node) break;
      // The next process is killed at its time, also if this one has not started by then.
      starts.push(node.crash());
      count('processes killed');
    }
    await Promise.all(starts);
  };
  await Promise.all([
    kill(),
    // It may be down at this moment: its content is lost then too.
    repeat('Redis flushed', redis ? faults.redisFlushes : 0, async () => redis?.flush().catch(() => undefined)),
    repeat('Redis stopped', redis ? faults.redisStops : 0, async () => {
      await redis?.kill();
      await pause(totalMs / 40);
      await redis?.restart();
    }),
    ...Object.entries(faults.pauses).map(([seconds, times]) =>
      repeat(`processes paused for ${seconds} s`, times, async () => (await nodeUp())?.pause(Number(seconds) * 1_000)),
    ),
    repeat('PostgreSQL restarted', postgres ? faults.postgresRestarts : 0, async () => postgres?.restart()),
  ]);
}

interface BreakOptions {
  readonly faults: Faults;
  readonly totalMs: number;
  readonly random: Random;
  readonly tally: Tally;
}
