import { SandboxError } from '../errors.ts';
import { fairQueue } from './queue.ts';

/** A process that a pool keeps: it runs programs one at a time and may be thrown away at any moment. */
export interface Worker {
  /** What the worker was started for; only a wish for the same is served by it. */
  readonly kind: string;
  /** Resolves when the worker can take a program; rejects when it died first. */
  ready(): Promise<void>;
  /** True once the process has ended or was told to. */
  readonly gone: boolean;
  kill(): void;
  /** Calls the listener once when the process has ended, at once if it has. Returns what takes the listener away. */
  onGone(listener: () => void): () => void;
}

export interface PoolOptions<W extends Worker> {
  start(kind: string): W;
  /** Whether a worker of the kind may serve its tenant again; one that may not is killed when it is released. */
  reusable(kind: string): boolean;
  /** Processes at most; more work waits, tenant by tenant in turns. */
  readonly maxWorkers: number;
  /** Programs that may wait; the next one is refused with `BUSY`. */
  readonly maxWaiting: number;
  /** Milliseconds after which an idle process beyond the warm one ends. */
  readonly idleMs: number;
}

export interface Pool<W extends Worker> extends AsyncDisposable {
  /** Hands out a worker for one program of one tenant, in turns where many wait. Raises `BUSY`, `CLOSED`, `CANCELLED`. */
  acquire(kind: string, tenant: string, signal?: AbortSignal): Promise<W>;
  /** Gives a worker back. One that is gone is forgotten. */
  release(worker: W): void;
  /** Starts workers of the kind in the background until `count` are free for any tenant, within the pool's bound. Never throws. */
  warm(kind: string, count: number): void;
  counts(): { readonly idle: number; readonly busy: number; readonly waiting: number };
}

interface Idle<W> {
  readonly worker: W;
  readonly since: number;
}

interface Wish<W> {
  readonly kind: string;
  readonly tenant: string;
  grant(worker: W): void;
  refuse(error: unknown): void;
}

/** Makes a pool of single-tenant workers: once a worker has run for one tenant, no other tenant gets it. */
export function createPool<W extends Worker>(options: PoolOptions<W>): Pool<W> {
  const idle: Idle<W>[] = [];
  const busy = new Set<W>();
  const tenantOf = new Map<W, string>();
  const waiting = fairQueue<Wish<W>>();
  let closed = false;
  let resting: NodeJS.Immediate | undefined;

  const forget = (worker: W) => {
    const index = idle.findIndex((entry) => entry.worker === worker);
    if (index >= 0) idle.splice(index, 1);
    tenantOf.delete(worker);
    if (!busy.has(worker)) serve();
  };

  const startWorker = (kind: string): W => {
    const worker = options.start(kind);
    worker.onGone(() => forget(worker));
    return worker;
  };

  const take = (wish: Wish<W>): W | undefined => {
    const fits = ({ worker }: Idle<W>) =>
      worker.kind === wish.kind && !worker.gone && (tenantOf.get(worker) ?? wish.tenant) === wish.tenant;
    const own = idle.findIndex((entry) => fits(entry) && tenantOf.has(entry.worker));
    const index = own >= 0 ? own : idle.findIndex(fits);
    if (index >= 0) return idle.splice(index, 1)[0]?.worker;
    if (resting) return undefined;
    if (idle.length + busy.size >= options.maxWorkers) {
      const oldest = idle.shift();
      if (!oldest) return undefined;
      oldest.worker.kill();
    }
    // A start keeps the event loop for milliseconds: between two of them others get their turn.
    resting = setImmediate(() => {
      resting = undefined;
      serve();
    });
    return startWorker(wish.kind);
  };

  const serve = () => {
    for (let wish = waiting.peek(); wish; wish = waiting.peek()) {
      let worker: W | undefined;
      try {
        worker = take(wish);
      } catch (error) {
        waiting.shift();
        wish.refuse(error);
        continue;
      }
      if (!worker) return;
      waiting.shift();
      busy.add(worker);
      tenantOf.set(worker, wish.tenant);
      wish.grant(worker);
    }
  };

  const shrink = setInterval(
    () => {
      const before = Date.now() - options.idleMs;
      for (const { worker, since } of idle.slice(1)) if (since < before) worker.kill();
    },
    Math.max(1_000, options.idleMs / 5),
  ).unref();

  return {
    acquire(kind, tenant, signal) {
      if (closed) return Promise.reject(new SandboxError('CLOSED', 'The sandbox is closed.'));
      return new Promise<W>((resolve, reject) => {
        const leave = () => {
          waiting.remove(tenant, wish);
          reject(new SandboxError('CANCELLED', 'The execution was cancelled while it waited for a sandbox.'));
        };
        const wish: Wish<W> = {
          kind,
          tenant,
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
        waiting.push(tenant, wish);
        serve();
        // Who came before waits on; this one may have been served meanwhile.
        const turns = Math.max(0, options.maxWorkers - busy.size);
        if (waiting.length <= options.maxWaiting + turns || !waiting.remove(tenant, wish)) return;
        signal?.removeEventListener('abort', leave);
        const message = `All ${options.maxWorkers} sandboxes are busy and ${waiting.length} executions wait already. Try again later.`;
        reject(new SandboxError('BUSY', message, { details: { waiting: waiting.length } }));
      });
    },
    release(worker) {
      busy.delete(worker);
      if (!options.reusable(worker.kind)) worker.kill();
      if (!worker.gone) idle.push({ worker, since: Date.now() });
      serve();
    },
    warm(kind, count) {
      const isFree = ({ worker }: Idle<W>) => worker.kind === kind && !worker.gone && !tenantOf.has(worker);
      for (let free = idle.filter(isFree).length; free < count; free++) {
        if (closed || idle.length + busy.size >= options.maxWorkers) return;
        try {
          idle.push({ worker: startWorker(kind), since: Date.now() });
        } catch {
          // Whoever asks for one is told why.
          return;
        }
      }
    },
    counts: () => ({ idle: idle.length, busy: busy.size, waiting: waiting.length }),
    async [Symbol.asyncDispose]() {
      closed = true;
      clearInterval(shrink);
      clearImmediate(resting);
      for (let wish = waiting.shift(); wish; wish = waiting.shift()) {
        wish.refuse(new SandboxError('CLOSED', 'The sandbox is closed.'));
      }
      const all = [...idle.map(({ worker }) => worker), ...busy];
      await Promise.all(
        all.map(
          (worker) =>
            new Promise<void>((resolve) => {
              worker.onGone(() => resolve());
              worker.kill();
            }),
        ),
      );
    },
  };
}
