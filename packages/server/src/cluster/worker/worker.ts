import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimedWork, WORK_LEASE_MS, type WorkKind } from '../../queue/queue.ts';
import { openChannel } from '../channel.ts';
import type { Listening } from '../dispatchers/dispatcher.ts';
import { createRunningWorks } from './running-works.ts';
import type { WorkerOptions } from './worker-options.ts';

export type { TaskWork, WorkerOptions } from './worker-options.ts';

/** A worker of a cluster. Dispose it after its Toolwright. */
export interface Worker extends AsyncDisposable {
  /** Unique for ever. */
  readonly id: string;
  /** The number of works that run here. */
  readonly running: number;
  /** Claims nothing more. */
  stop(): Promise<void>;
  /** Resolves when no work runs here. */
  idle(): Promise<void>;
}

/** Works that a worker runs at once, by default. */
const DEFAULT_CONCURRENCY = 32;
/** The limit of a user without one: the largest integer of PostgreSQL. */
const NO_LIMIT = 2 ** 31 - 1;
/** Milliseconds between two looks at the queue: while the dispatcher has no connection. With reports, one of some looks is done. */
const LOOK_MS = 500;
const REPORTED_LOOKS = 4;
/** Works of one claim, so that an idle worker leaves some to others. */
const MAX_CLAIMED = 4;
/**
 * Runs a worker: claims work of the queue, runs it, and stores its result. An execution that another worker has begun is continued from its
 * journal. A worker that lost its claim stores nothing: the execution itself has a lease of its own, and the next worker waits for it.
 */
export function runWorker(options: WorkerOptions): Worker {
  const { dispatcher, bus, concurrency = DEFAULT_CONCURRENCY } = options;
  const id = randomUUID();
  const channel = openChannel(bus);
  let isStopped = false;
  let listening: Listening | undefined;
  const free = () => (isStopped ? 0 : concurrency - works.size);
  const works = createRunningWorks({
    ...options,
    worker: id,
    channel,
    onChange(change) {
      if (free() <= 0) return listening?.pause();
      listening?.resume();
      // Work that its user's limit or its session held back has no report.
      if (change === 'ended') claim(1).catch(() => undefined);
    },
  });
  const claim = createClaims(options, { id, free, begin: works.begin });
  let looks = 0;
  const look = async () => {
    if (looks++ % REPORTED_LOOKS > 0 && dispatcher.isConnected) return;
    try {
      while ((await claim(MAX_CLAIMED)) === MAX_CLAIMED);
    } catch {
      // The next look tries again.
    }
  };
  channel.onCancel(works.cancel);
  listening = dispatcher.listen(async () => void (await claim(1)));
  const looking = setInterval(() => void look(), LOOK_MS);
  void look();
  const stop = async () => {
    isStopped = true;
    clearInterval(looking);
    await listening?.close();
    // A claim that has begun ends before: its works run.
    await claim(0).catch(() => undefined);
  };
  return {
    id,
    get running() {
      return works.size;
    },
    stop,
    idle: works.idle,
    async [Symbol.asyncDispose]() {
      await stop();
      // The ends of lost works are not stored, and those of others have the time of a lease.
      await Promise.race([works.idle(), sleep(WORK_LEASE_MS, undefined, { ref: false })]);
      await works.close();
      channel[Symbol.dispose]();
    },
  };
}

/** Returns a function that claims up to a number of works. It claims one after the other, so that free places are not counted twice. */
function createClaims(
  { queue, tasks, perUser }: WorkerOptions,
  { id, free, begin }: { readonly id: string; free(): number; begin(work: ClaimedWork): void },
): (most: number) => Promise<number> {
  const kinds: readonly WorkKind[] = tasks ? ['execution', 'task'] : ['execution'];
  let last: Promise<unknown> = Promise.resolve();
  return (most) => {
    const claiming = last.then(async () => {
      const places = Math.min(most, free());
      if (places <= 0) return 0;
      const claimed = await queue.claim({ worker: id, kinds, most: places, perUser: perUser || NO_LIMIT });
      for (const work of claimed) begin(work);
      return claimed.length;
    });
    last = claiming.catch(() => undefined);
    return claiming;
  };
}
