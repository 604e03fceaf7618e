import { createHash } from 'node:crypto';
import { SandboxError } from '../errors.ts';
import { busyError, complexityError, startError } from './failures.ts';
import { createWaitingJobs, type WaitingJob } from './waiting-jobs.ts';
import {
  type LanguageWorker,
  type LostRequest,
  startWorker,
  type WorkerAnswer,
  type WorkerLoss,
  type WorkerRequest,
} from './worker.ts';

/** Settings of one request. */
interface RequestOptions {
  /** The owner of the text. Tenants take turns. Default: none, which is a tenant too. */
  readonly tenant?: string;
  /** Milliseconds of processor time that the text may take. Default 5 s. */
  readonly timeoutMs?: number;
  /** Milliseconds that the request may wait for a worker. Default 30 s. */
  readonly maxWaitMs?: number;
  /** Ends the request: it leaves the queue, or its worker ends and the next request has its turn. */
  readonly signal?: AbortSignal | undefined;
}

/** A table of operations: each takes one JSON value, and returns one or a promise of it. */
export type OperationTable = Readonly<Record<string, (input: never) => unknown>>;

/** Processes that read the texts of programs, skills and models, so that no text can stop or delay this process. */
export interface LanguageWorkers<Operations extends OperationTable = Record<never, never>> {
  /**
   * Runs an operation in a worker. Raises the operation's errors, `SOURCE_TOO_COMPLEX` when the worker ended or took too long,
   * and `LANGUAGE_SERVICE_BUSY` when the request waited too long or too many wait. Raises the reason of an aborted signal.
   */
  readonly run: <Name extends keyof Operations & string>(
    operation: Name,
    input: Parameters<Operations[Name]>[0],
    options?: RequestOptions,
  ) => Promise<Awaited<ReturnType<Operations[Name]>>>;
  /** Limits a tenant, together with all such tenants, to one worker for a minute. A text that ends a worker does so too. */
  readonly limit: (tenant: string) => void;
  /** Starts a worker if there is none, for a request that comes soon. */
  readonly warm: () => void;
  /** Numbers of running workers and of waiting requests. */
  readonly counts: () => { readonly workers: number; readonly busy: number; readonly waiting: number };
  /** Ends all workers. Later requests start new ones. */
  readonly end: () => void;
}

interface PoolOptions {
  /** Maximum number of processes. */
  readonly size: number;
  readonly start?: () => LanguageWorker;
}

const TIMEOUT_MS = 5_000;
const MAX_WAIT_MS = 30_000;
/** Attempts of a request whose worker crashed: something else may have ended the worker. */
const ATTEMPTS = 2;
const AGAIN: ReadonlySet<WorkerLoss> = new Set(['start', 'crash']);

interface Job extends WaitingJob {
  readonly request: WorkerRequest;
  readonly timeoutMs: number;
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly signal: AbortSignal | undefined;
}

/** A tenant whose text ended a worker is limited for this time. */
const LIMITED_MS = 60_000;

/** Decides which tenant may have the next worker of a pool. */
interface TenantRules {
  /** Returns whether a tenant may have another worker while these tenants have one each. */
  mayRun(tenant: string, running: readonly string[]): boolean;
  /** Makes a tenant share one worker with all other limited tenants, for a minute. */
  limit(tenant: string): void;
}

/** Requests that are remembered; the oldest one is forgotten first. */
const MAX_REMEMBERED = 1_000;

/** The requests that ended a worker. They are refused without another attempt. */
interface RefusedRequests {
  find(request: WorkerRequest): SandboxError | undefined;
  add(request: WorkerRequest, error: SandboxError): void;
}

/** An idle worker ends after this time. */
const IDLE_MS = 5 * 60_000;

/** The workers of a pool that wait for a request. */
interface IdleWorkers {
  readonly size: number;
  /** Keeps a worker until it is needed, or for five minutes. */
  add(worker: LanguageWorker): void;
  /** Removes and returns a live worker; undefined when there is none. */
  take(): LanguageWorker | undefined;
  /** Ends all idle workers. */
  end(): void;
}

/** Creates a pool of language workers, which start when they are needed. One tenant never holds all of them. */
export function createLanguageWorkers<Table extends OperationTable>(options: PoolOptions): LanguageWorkers<Table> {
  const { size, start = startWorker } = options;
  const idle = createIdleWorkers();
  const busy = new Map<LanguageWorker, string>();
  const workerOf = new Map<Job, LanguageWorker>();
  const waiting = createWaitingJobs<Job>();
  const rules = createTenantRules(size);
  const refused = rememberRefused();

  const next = (): void => {
    while (busy.size < size && waiting.length > 0) {
      const running = [...busy.values()];
      const job = waiting.take((tenant) => rules.mayRun(tenant, running));
      if (!job) {
        // While a tenant waits for its own texts, another tenant's text finds a worker that has started.
        if (idle.size === 0) idle.add(start());
        return;
      }
      void work(job, idle.take() ?? start(), 1).finally(next);
    }
  };
  const work = async (job: Job, worker: LanguageWorker, attempt: number): Promise<void> => {
    busy.set(worker, job.tenant);
    workerOf.set(job, worker);
    const answer = await worker.request(job.request, job.timeoutMs);
    busy.delete(worker);
    workerOf.delete(job);
    if (worker.alive()) idle.add(worker);
    // A cancelled request ended its worker: its text is not the cause.
    if (job.signal?.aborted) job.reject(job.signal.reason);
    else if (!('lost' in answer)) job.resolve(answer);
    else if (AGAIN.has(answer.lost) && attempt < ATTEMPTS) await work(job, start(), attempt + 1);
    else job.reject(lossError(job, answer));
  };
  const lossError = ({ request, tenant, timeoutMs }: Job, { lost, why }: LostRequest): SandboxError => {
    if (lost === 'start') return startError(why);
    if (lost === 'busy') return busyError('The machine does other work.');
    rules.limit(tenant);
    const error = lost === 'time' ? complexityError(`takes more than ${timeoutMs / 1000} s`) : complexityError();
    refused.add(request, error);
    return error;
  };
  const run = async (operation: string, input: unknown, options: RequestOptions = {}): Promise<unknown> => {
    const { tenant = '', timeoutMs = TIMEOUT_MS, maxWaitMs = MAX_WAIT_MS, signal } = options;
    signal?.throwIfAborted();
    const request = { operation, input };
    const known = refused.find(request);
    if (known) throw new SandboxError(known.code, known.message);
    waiting.admit(tenant);
    let cancel: () => void = () => undefined;
    const answer = new Promise<WorkerAnswer>((resolve, reject) => {
      const giveUp = () => waiting.refuse(job, busyError(`The text waited for ${maxWaitMs / 1000} s.`));
      const job: Job = { request, tenant, timeoutMs, resolve, reject, signal, late: setTimeout(giveUp, maxWaitMs) };
      cancel = () => void (waiting.refuse(job, signal?.reason) || workerOf.get(job)?.kill());
      waiting.add(job);
      next();
    });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return valueIn(await answer);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  };
  return {
    run: run as LanguageWorkers<Table>['run'],
    limit: rules.limit,
    warm() {
      if (busy.size + idle.size === 0) idle.add(start());
    },
    counts: () => ({ workers: busy.size + idle.size, busy: busy.size, waiting: waiting.length }),
    end() {
      idle.end();
      for (const worker of busy.keys()) worker.kill();
    },
  };
}

function valueIn(answer: WorkerAnswer): unknown {
  if ('value' in answer) return answer.value;
  if ('error' in answer) throw new SandboxError(answer.error.code, answer.error.message, answer.error);
  if ('tooComplex' in answer) throw complexityError();
  if ('defect' in answer) throw new Error(`A language worker failed: ${answer.defect}`);
  return undefined;
}

/** Creates the rules of a pool: no tenant has all of its workers, and all limited tenants together have one. */
function createTenantRules(size: number): TenantRules {
  const limitedUntil = new Map<string, number>();
  const isLimited = (tenant: string) => (limitedUntil.get(tenant) ?? 0) > performance.now();
  return {
    mayRun(tenant, running) {
      if (isLimited(tenant)) return !running.some(isLimited);
      return running.filter((other) => other === tenant).length < Math.max(1, size - 1);
    },
    limit(tenant) {
      const now = performance.now();
      for (const [known, until] of limitedUntil) if (until < now) limitedUntil.delete(known);
      limitedUntil.set(tenant, now + LIMITED_MS);
    },
  };
}

/** Creates an empty memory of refused requests. */
function rememberRefused(): RefusedRequests {
  const known = new Map<string, SandboxError>();
  return {
    find: (request) => (known.size === 0 ? undefined : known.get(keyOf(request))),
    add(request, error) {
      known.set(keyOf(request), error);
      const [oldest] = known.keys();
      if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    },
  };
}

function keyOf({ operation, input }: WorkerRequest): string {
  return createHash('sha256').update(operation).update(JSON.stringify(input)).digest('base64');
}

/** Creates an empty list of idle workers. The last one that became idle is taken first, so that the others can end. */
function createIdleWorkers(): IdleWorkers {
  const idle = new Map<LanguageWorker, NodeJS.Timeout>();
  const remove = (worker: LanguageWorker) => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  };
  const end = (worker: LanguageWorker) => {
    remove(worker);
    worker.kill();
  };
  return {
    get size() {
      return idle.size;
    },
    add(worker) {
      idle.set(worker, setTimeout(() => end(worker), IDLE_MS).unref());
    },
    take() {
      for (const worker of [...idle.keys()].reverse()) {
        remove(worker);
        if (worker.alive()) return worker;
      }
      return undefined;
    },
    end() {
      for (const worker of [...idle.keys()]) end(worker);
    },
  };
}
