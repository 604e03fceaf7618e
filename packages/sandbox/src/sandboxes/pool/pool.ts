import { SandboxError } from '../../errors.ts';
import { createBusyWorkers, type FairQueue, fairQueue } from './fairness.ts';
import { createIdleWorkers, type IdleWorkers } from './idle-workers.ts';
import { createStartPause } from './start-pause.ts';

/** A process of a pool. It runs programs one at a time and may be killed at any moment. */
export interface Worker {
  /** The kind that the worker was started for. It serves only requests for the same kind. */
  readonly kind: string;
  /** Resolves when the worker can run a program; rejects when it ended first. */
  ready(): Promise<void>;
  /** Whether the worker can run a program now. */
  readonly isReady: boolean;
  /** True once the process has ended or was killed. */
  readonly gone: boolean;
  kill(): void;
  /** Calls the listener once when the process has ended, or at once if it already has. Returns an unsubscribe function. */
  onGone(listener: () => void): () => void;
}

export interface PoolOptions<W extends Worker> {
  /** Starts a worker. `isSpare` is true if nobody waits for it, and new users would find other ones that are ready. */
  start(kind: string, isSpare: boolean): W;
  /** Returns whether a worker of the kind may serve its tenant again. If not, `release` kills the worker. */
  reusable(kind: string): boolean;
  /** Maximum number of processes. Further requests wait; users take turns, and none holds all processes of many. */
  readonly maxWorkers: number;
  /** Maximum number of waiting requests. Further requests fail with `BUSY`. */
  readonly maxWaiting: number;
  /** Milliseconds after which an idle process ends; one stays. */
  readonly idleMs: number;
  /** Workers that serve only users who hold none, so that those need not wait for a start. They have served nobody. */
  readonly keptForNewUsers: number;
}

export interface Pool<W extends Worker> extends AsyncDisposable {
  /**
   * Returns a worker for one program of one tenant. Waiting users take turns; default: each tenant is a user. See `nestedUser`. Raises
   * `BUSY`, `CLOSED`, `CANCELLED`.
   */
  acquire(kind: string, tenant: string, signal?: AbortSignal, user?: string): Promise<W>;
  /**
   * Calls a function once, when a request waits for a worker and this function is the oldest, or at once. Returns an unsubscribe
   * function.
   */
  onWaiting(listener: () => void): () => void;
  /** Returns how many workers a user holds. */
  heldBy(user: string): number;
  /** Returns a worker to the pool. */
  release(worker: W): void;
  /** Starts workers of the kind, one after the other, until `count` have served nobody, up to `maxWorkers`. Never throws. */
  warm(kind: string, count: number): void;
  counts(): { readonly idle: number; readonly busy: number; readonly waiting: number };
}

interface WorkerUse {
  readonly kind: string;
  readonly tenant: string;
  readonly user: string;
}

interface WorkerRequest<W> extends WorkerUse {
  grant(worker: W): void;
  refuse(error: unknown): void;
}

/** Creates a pool of single-tenant workers: once a worker has run for one tenant, no other tenant gets it. */
export function createPool<W extends Worker>(options: PoolOptions<W>): Pool<W> {
  const idle = createIdleWorkers<W>();
  const busy = createBusyWorkers<W>(options.maxWorkers, options.keptForNewUsers);
  const waiting = fairQueue<WorkerRequest<W>>();
  const holders = createHolders(() => waiting.length);
  const isFull = (user = '') => idle.size() + busy.size >= busy.maxFor(user);
  let closed = false;
  const pause = createStartPause(() => {
    serve();
    spares.fill();
  });

  const startWorker = (kind: string, isSpare: boolean): W => {
    const worker = pause.after(() => options.start(kind, isSpare));
    worker.onGone(() => {
      idle.forget(worker);
      if (!busy.all().includes(worker)) serve();
    });
    return worker;
  };

  const take = ({ kind, tenant, user }: WorkerRequest<W>): W | undefined => {
    const known = idle.take(kind, tenant, busy.keptFrom(user));
    if (known || pause.isActive()) return known;
    if (isFull(user)) {
      const oldest = idle.takeOldest(busy.keptFrom(user));
      if (!oldest) return undefined;
      oldest.kill();
    }
    return startWorker(kind, false);
  };

  const serve = () => {
    for (let request = waiting.peek(busy.mayTake); request; request = waiting.peek(busy.mayTake)) {
      let worker: W | undefined;
      try {
        worker = take(request);
      } catch (error) {
        waiting.shift(busy.mayTake)?.refuse(error);
        continue;
      }
      if (!worker) return;
      waiting.shift(busy.mayTake);
      busy.add(worker, request.user);
      idle.assign(worker, request.tenant);
      request.grant(worker);
    }
  };

  const spares = createSpares({
    idle,
    mayStart: () => !closed && !isFull(),
    isPaused: pause.isActive,
    start: (kind) => startWorker(kind, idle.countReady(kind) >= options.keptForNewUsers),
  });
  const shrink = endIdleWorkers(idle, options.idleMs);
  return {
    acquire(kind, tenant, signal, user = tenant) {
      if (closed) return Promise.reject(poolClosed());
      return waitForWorker({ kind, tenant, user, signal }, waiting, { ...options, serve, holders, free: busy.free });
    },
    onWaiting: holders.onWaiting,
    heldBy: busy.heldBy,
    release(worker) {
      busy.remove(worker);
      if (!options.reusable(worker.kind)) worker.kill();
      if (!worker.gone) idle.add(worker);
      serve();
    },
    warm: spares.warm,
    counts: () => ({ idle: idle.size(), busy: busy.size, waiting: waiting.length }),
    async [Symbol.asyncDispose]() {
      closed = true;
      clearInterval(shrink);
      pause.cancel();
      for (let request = waiting.shift(); request; request = waiting.shift()) request.refuse(poolClosed());
      await Promise.all([...idle.all(), ...busy.all()].map(endWorker));
    },
  };
}

/** The programs that return their workers when requests wait: as many as there are requests, oldest program first. */
interface Holders {
  ask(): void;
  onWaiting(listener: () => void): () => void;
}

function createHolders(countWaiting: () => number): Holders {
  const listeners = new Set<() => void>();
  const ask = () => {
    for (const listener of [...listeners].slice(0, countWaiting())) {
      listeners.delete(listener);
      listener();
    }
  };
  return {
    ask,
    onWaiting(listener) {
      listeners.add(listener);
      ask();
      return () => void listeners.delete(listener);
    },
  };
}

interface SparesOptions<W extends Worker> {
  readonly idle: IdleWorkers<W>;
  readonly mayStart: () => boolean;
  readonly isPaused: () => boolean;
  readonly start: (kind: string) => W;
}

/** Creates the part of a pool that starts workers before they are needed: one after the other, when the pool is not paused. */
function createSpares<W extends Worker>({ idle, mayStart, isPaused, start }: SparesOptions<W>) {
  /** The number of workers to keep ready, by kind, until there are so many. */
  const wanted = new Map<string, number>();
  const fill = () => {
    for (const [kind, count] of wanted) {
      if (!mayStart() || idle.countUnassigned(kind) >= count) wanted.delete(kind);
      else if (isPaused()) return;
      else startOne(kind);
    }
  };
  const startOne = (kind: string) => {
    try {
      idle.add(start(kind));
    } catch {
      // The next `acquire` reports the reason.
      wanted.delete(kind);
    }
  };
  return {
    fill,
    warm(kind: string, count: number) {
      wanted.set(kind, count);
      fill();
    },
  };
}

/** Ends workers that were idle for longer than `idleMs`, in regular intervals. */
function endIdleWorkers<W extends Worker>(idle: IdleWorkers<W>, idleMs: number): NodeJS.Timeout {
  const endExpired = () => {
    for (const worker of idle.idleSince(Date.now() - idleMs)) worker.kill();
  };
  return setInterval(endExpired, Math.max(1_000, idleMs / 5)).unref();
}

/** Queues a request and resolves to its worker. Rejects with `CANCELLED`, and with `BUSY` when too many requests wait. */
function waitForWorker<W extends Worker>(
  wanted: WorkerUse & { readonly signal: AbortSignal | undefined },
  waiting: FairQueue<WorkerRequest<W>>,
  pool: { readonly maxWorkers: number; readonly maxWaiting: number; serve(): void; holders: Holders; free(): number },
): Promise<W> {
  const { kind, tenant, user, signal } = wanted;
  return new Promise<W>((resolve, reject) => {
    const leave = () => {
      waiting.remove(user, request);
      reject(new SandboxError('CANCELLED', 'The execution was cancelled while it waited for a sandbox.'));
    };
    const request: WorkerRequest<W> = {
      kind,
      tenant,
      user,
      grant(worker) {
        signal?.removeEventListener('abort', leave);
        resolve(worker);
      },
      refuse: reject,
    };
    if (signal?.aborted) {
      leave();
      return;
    }
    signal?.addEventListener('abort', leave, { once: true });
    waiting.push(user, request);
    pool.serve();
    // Earlier requests keep their place; this one may have been served meanwhile.
    if (waiting.length <= pool.maxWaiting + pool.free() || !waiting.remove(user, request)) return pool.holders.ask();
    signal?.removeEventListener('abort', leave);
    const message = `All ${pool.maxWorkers} sandboxes are busy and ${waiting.length} executions wait already. Try again later.`;
    reject(new SandboxError('BUSY', message, { details: { waiting: waiting.length } }));
  });
}

function endWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.onGone(() => resolve());
    worker.kill();
  });
}

function poolClosed(): SandboxError {
  return new SandboxError('CLOSED', 'The sandbox is closed.');
}
