import type { GuestOutcome } from '../bridge/protocol.ts';
import { poolsAsked } from '../diagnostics.ts';
import { SandboxError } from '../errors.ts';
import type { Program } from '../languages/language.ts';
import { endText, type GuestProcess, type ProcessEnd } from './guest-process.ts';
import { createPool } from './pool.ts';
import type { Sandbox, SandboxRunOptions } from './sandbox.ts';

/** What a guest process is started for. */
export interface GuestKind {
  readonly guest: Program['guest'];
  readonly memoryBytes: number;
}

/** Bounds of a pool, the same for every sandbox that has one. */
export interface PoolSettings {
  /** Guests at most, idle ones included. */
  readonly maxProcesses?: number;
  /** Executions that may wait for a guest, default 1,000; more are refused with `BUSY`. */
  readonly maxWaiting?: number;
  /** Milliseconds after which an idle guest ends, up to a fifth later; default 25,000. One stays warm. */
  readonly idleMs?: number;
  /** Memory limit that the first warm guest is started for; match it with the usual `memoryBytes`. Default 128 MiB. */
  readonly warmMemoryBytes?: number;
}

export interface PooledSandboxOptions {
  readonly name: string;
  readonly isolation: string;
  readonly languages: Sandbox['languages'];
  readonly pool: PoolSettings;
  readonly maxProcesses: number;
  /** Guests of one kind that are kept ready, once the kind has been asked for. */
  readonly warm: number;
  /** Whether a guest may run the next program of the same tenant. One that never may is ended after its run. */
  readonly reusable: (kind: GuestKind) => boolean;
  /** Starts a guest. May throw `SANDBOX_UNAVAILABLE`. */
  readonly start: (kind: GuestKind, key: string) => GuestProcess;
  /** How long past its time limit a guest may live to tell where it was, milliseconds. */
  readonly graceMs: (kind: GuestKind) => number;
  /** Whether an end that nobody ordered means that the memory limit was reached. */
  readonly isOutOfMemory: (end: ProcessEnd) => boolean;
  /** Called after all guests have ended. */
  readonly onDispose?: () => Promise<void>;
}

const START_ATTEMPTS = 4;
/** A start takes a processor from what runs: the next guest is started when a run has ended, or has lasted this long. */
const REFILL_AFTER_MS = 100;
/** The answer to a run comes before that start. */
const REFILL_DELAY_MS = 15;
const WARM_MEMORY_BYTES = 128 * 1024 * 1024;

/** Makes a sandbox of a way to start guests: pooled, supervised, ended from outside. */
export function createPooledSandbox(options: PooledSandboxOptions): Sandbox {
  const { name, isolation, languages, pool: settings } = options;
  const pool = createPool<GuestProcess>({
    start: (key) => options.start(readKind(key), key),
    reusable: (key) => options.reusable(readKind(key)),
    maxWorkers: settings.maxProcesses ?? options.maxProcesses,
    maxWaiting: settings.maxWaiting ?? 1_000,
    idleMs: settings.idleMs ?? 25_000,
  });
  const [first] = languages;
  const memoryBytes = settings.warmMemoryBytes ?? WARM_MEMORY_BYTES;
  const unsubscribe = poolsAsked.subscribe((report) => report({ sandbox: name, ...pool.counts() }));
  if (first) pool.warm(writeKind({ guest: first, memoryBytes }), 1);

  return {
    name,
    isolation,
    languages,
    async run(program, runOptions) {
      const { limits, signal, tenant = '' } = runOptions;
      const kind = { guest: program.guest, memoryBytes: limits.memoryBytes };
      const key = writeKind(kind);
      // With less than is known to do, a process may be out of memory before it has a program.
      const isTooLittle = ({ end }: GuestProcess) =>
        kind.memoryBytes < WARM_MEMORY_BYTES && end !== undefined && options.isOutOfMemory(end);
      const worker = await acquireReady(() => pool.acquire(key, tenant, signal), pool.release, isTooLittle);
      if (worker === undefined) return { status: 'stopped', limit: 'memory' };
      const refill = () => pool.warm(key, options.warm);
      const waiting = setTimeout(refill, REFILL_AFTER_MS).unref();
      try {
        const graceMs = options.graceMs(kind);
        const running = worker.channel.run(program, runOptions);
        const outcome = await supervise(worker, running, runOptions, graceMs, options.isOutOfMemory);
        if (outcome.status === 'stopped') worker.kill();
        return outcome;
      } finally {
        clearTimeout(waiting);
        setTimeout(refill, REFILL_DELAY_MS).unref();
        pool.release(worker);
      }
    },
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await pool[Symbol.asyncDispose]();
      await options.onDispose?.();
    },
  };
}

function writeKind({ guest, memoryBytes }: GuestKind): string {
  return `${guest} ${memoryBytes}`;
}

function readKind(key: string): GuestKind {
  const [guest, memoryBytes] = key.split(' ');
  return { guest: guest === 'python' ? 'python' : 'javascript', memoryBytes: Number(memoryBytes) };
}

/**
 * A process that ended before it got a program, as one does that its last program wore out, is replaced. None is
 * returned where none would start with the memory that it gets.
 */
async function acquireReady(
  acquire: () => Promise<GuestProcess>,
  release: (worker: GuestProcess) => void,
  isTooLittle: (worker: GuestProcess) => boolean,
): Promise<GuestProcess | undefined> {
  for (let attempt = 1; ; attempt++) {
    const worker = await acquire();
    try {
      await worker.ready();
      return worker;
    } catch (error) {
      release(worker);
      // What cannot carry a guest now will not a moment later.
      const unavailable = error instanceof SandboxError && error.code === 'SANDBOX_UNAVAILABLE';
      if (!unavailable && attempt < START_ATTEMPTS) continue;
      if (isTooLittle(worker)) return undefined;
      throw error;
    }
  }
}

/** Races a run against the clock, the caller's signal and the end of the process. */
async function supervise(
  worker: GuestProcess,
  running: Promise<GuestOutcome>,
  { limits, signal }: SandboxRunOptions,
  graceMs: number,
  isOutOfMemory: (end: ProcessEnd) => boolean,
): Promise<GuestOutcome> {
  let watchdog: NodeJS.Timeout | undefined;
  let cancel: (() => void) | undefined;
  let forget: (() => void) | undefined;
  try {
    return await Promise.race([
      running,
      new Promise<GuestOutcome>((resolve, reject) => {
        watchdog = setTimeout(() => {
          worker.kill();
          resolve({ status: 'stopped', limit: 'timeout' });
        }, limits.timeoutMs + graceMs);
        cancel = () => {
          worker.kill();
          reject(new SandboxError('CANCELLED', 'The execution was cancelled.'));
        };
        if (signal?.aborted) cancel();
        else signal?.addEventListener('abort', cancel, { once: true });
        forget = worker.onGone(() => {
          if (worker.end && isOutOfMemory(worker.end)) resolve({ status: 'stopped', limit: 'memory' });
          else
            reject(
              worker.end?.error ??
                new SandboxError('SANDBOX_LOST', `The sandbox process ended early (${endText(worker.end)}).`),
            );
        });
      }),
    ]);
  } catch (error) {
    worker.kill();
    throw error;
  } finally {
    clearTimeout(watchdog);
    forget?.();
    if (cancel) signal?.removeEventListener('abort', cancel);
  }
}
