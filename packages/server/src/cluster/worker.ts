import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, type Toolwright, ToolwrightError } from '@toolwright/core';
import type { Bus } from '@toolwright/core/internal';
import { workClaimed } from '../diagnostics.ts';
import { openChannel } from './channel.ts';
import type { Dispatcher, Listening } from './dispatchers/dispatcher.ts';
import { type ClaimedWork, WORK_LEASE_MS, type WorkKind, type WorkQueue } from './queues/queue.ts';
import { runExecution, type WorkEnd } from './run-work.ts';

/** Runs work of the kind `task`. */
export interface TaskWork {
  /** Runs or continues a task until it ends, or waits. Never rejects. */
  run(work: ClaimedWork, context: { readonly signal: AbortSignal }): Promise<WorkEnd>;
}

export interface WorkerOptions {
  /** Runs the programs. It stays open. */
  readonly toolwright: Toolwright;
  /** Runs tasks. Without it, this worker claims none. */
  readonly tasks?: TaskWork | undefined;
  readonly queue: WorkQueue;
  readonly dispatcher: Dispatcher;
  readonly bus: Bus;
  /** The key of journals. */
  readonly key: Buffer;
  /** Works that run here at once. Default: {@link DEFAULT_CONCURRENCY}. */
  readonly concurrency?: number | undefined;
  /** Works of one user that run at once, over the whole cluster. Default: no limit. */
  readonly perUser?: number | undefined;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

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
export const DEFAULT_CONCURRENCY = 32;
/** The limit of a user without one: the largest integer of PostgreSQL. */
const NO_LIMIT = 2 ** 31 - 1;
const RENEW_MS = 1_000;
/** Milliseconds between two looks at the queue: with reports of a dispatcher, and without. */
const LOOK_MS = { withReports: 2_000, alone: 500 };
/** Works of one claim, so that an idle worker leaves some to others. */
const MAX_CLAIMED = 4;
/** Milliseconds between two attempts to store an end while the storage does not answer. */
const STORE_RETRY_MS = 250;

interface Running {
  readonly work: ClaimedWork;
  readonly cancel: AbortController;
  readonly claimedMs: number;
  /** Another worker may have claimed it. */
  isLost: boolean;
}

/**
 * Runs a worker: claims work of the queue, runs it, and stores its result. An execution that another worker has begun is continued from its
 * journal. A worker that lost its claim stores nothing: the execution itself has a lease of its own, and the next worker waits for it.
 */
export function runWorker(options: WorkerOptions): Worker {
  const { toolwright, tasks, queue, dispatcher, bus, key, logger } = options;
  const { concurrency = DEFAULT_CONCURRENCY, perUser = NO_LIMIT } = options;
  const id = randomUUID();
  const channel = openChannel(bus, key);
  const running = new Map<string, Running>();
  const ends = new Set<Promise<void>>();
  const kinds: readonly WorkKind[] = tasks ? ['execution', 'task'] : ['execution'];
  let isStopped = false;
  let claiming = Promise.resolve(0);
  let listening: Listening | undefined;

  const free = () => (isStopped ? 0 : concurrency - running.size);
  /** Claims one after the other, so that free places are not counted twice. */
  const claim = (most: number): Promise<number> => {
    claiming = claiming.then(async () => {
      const places = Math.min(most, free());
      if (places <= 0) return 0;
      const claimed = await queue.claim({ worker: id, kinds, most: places, perUser: perUser || NO_LIMIT });
      for (const work of claimed) begin(work);
      return claimed.length;
    });
    const result = claiming;
    // While the storage does not answer, the next look tries again.
    claiming = claiming.catch(() => 0);
    return result;
  };
  const look = async () => {
    try {
      while ((await claim(MAX_CLAIMED)) === MAX_CLAIMED);
    } catch {
      // The next look tries again.
    }
  };
  const begin = (work: ClaimedWork) => {
    const { kind, waitedMs, lostMs } = work;
    workClaimed.publish({ kind, waitedMs, ...(lostMs === undefined ? {} : { lostMs }) });
    const own: Running = { work, cancel: new AbortController(), claimedMs: performance.now(), isLost: false };
    if (work.isCancelled) own.cancel.abort();
    running.set(work.id, own);
    if (free() <= 0) listening?.pause();
    const end = runOne(own).finally(() => {
      if (running.get(work.id) === own) running.delete(work.id);
      ends.delete(end);
      if (free() <= 0) return;
      listening?.resume();
      // Work that its user's limit or its session held back has no report.
      claim(1).catch(() => undefined);
    });
    ends.add(end);
  };
  const runOne = async (own: Running) => {
    const { work, cancel } = own;
    const { signal } = cancel;
    const replyTo = String(Object(work.request).replyTo);
    const send = (event: Parameters<typeof channel.send>[2]) => channel.send(replyTo, work.id, event);
    const ask = () => {
      const report = () => send({ type: 'question' });
      queue.ask(work).then(report, report);
    };
    const end =
      work.kind === 'task' && tasks
        ? await tasks.run(work, { signal })
        : await runExecution(work, { toolwright, signal, send, ask, logger });
    const state = await storeEnd(own, end);
    if (state === 'ended' || state === 'waiting') send({ type: 'result' });
    if (state === 'ready') dispatcher.notify([{ id: work.id }]);
    const delayMs = 'waits' in end ? end.waits.delayMs : 'released' in end ? end.released.delayMs : undefined;
    if (state === 'waiting' && delayMs !== undefined) dispatcher.notify([{ id: work.id, delayMs }]);
  };
  /** Stores the end of a run, also when the storage is away for a while. Returns the new state, if this worker still had the work. */
  const storeEnd = async (own: Running, end: WorkEnd) => {
    while (!own.isLost) {
      try {
        return await leave(queue, own.work, end);
      } catch (error) {
        if (error instanceof ToolwrightError && error.code === 'CLOSED') return undefined;
        await sleep(STORE_RETRY_MS);
      }
    }
    return undefined;
  };
  const renew = async () => {
    const startedMs = performance.now();
    const held = new Map((await queue.renew(id)).map((work) => [work.id, work]));
    for (const own of running.values()) {
      const found = held.get(own.work.id);
      if (found?.fence === own.work.fence) {
        if (found.isCancelled) own.cancel.abort();
      } else if (own.claimedMs < startedMs) own.isLost = true;
    }
  };
  channel.onCancel((cancelled) => running.get(cancelled)?.cancel.abort());
  listening = dispatcher.listen(async () => void (await claim(1)));
  const renewing = setInterval(() => {
    if (running.size > 0) void renew().catch(() => undefined);
  }, RENEW_MS);
  const looking = setInterval(() => void look(), dispatcher.name === 'memory' ? LOOK_MS.alone : LOOK_MS.withReports);
  void look();
  const stop = async () => {
    isStopped = true;
    clearInterval(looking);
    await listening?.close();
    await claiming;
  };
  return {
    id,
    get running() {
      return running.size;
    },
    stop,
    async idle() {
      while (ends.size > 0) await Promise.all(ends);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      clearInterval(renewing);
      channel[Symbol.dispose]();
      // The ends of lost works are not stored, and those of others have the time of a lease.
      await Promise.race([Promise.all(ends), sleep(WORK_LEASE_MS, undefined, { ref: false })]);
    },
  };
}

async function leave(queue: WorkQueue, work: ClaimedWork, end: WorkEnd): Promise<string | undefined> {
  if ('ended' in end) return (await queue.finish(work, end.ended)) ? 'ended' : undefined;
  if ('waits' in end) return queue.suspend(work, end.waits);
  if (!(await queue.release(work, end.released))) return undefined;
  return (end.released.delayMs ?? 0) > 0 ? 'waiting' : 'ready';
}

