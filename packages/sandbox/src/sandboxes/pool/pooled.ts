import type { GuestOutcome } from '../../bridge/protocol.ts';
import { poolsAsked } from '../../diagnostics.ts';
import { SandboxError } from '../../errors.ts';
import type { Program } from '../../languages/language.ts';
import { withDescriptors } from '../../processes/descriptors.ts';
import { endText, type GuestCarrier, type GuestProcess, openGuestProcess, type ProcessEnd } from '../guest-process.ts';
import { createGuestPriorities, type ServingPriority, watchProcessor } from '../guest-processor.ts';
import { watchMemory } from '../memory-watch.ts';
import type { Sandbox, SandboxRunOptions } from '../sandbox.ts';
import { nestedUser } from './fairness.ts';
import { createPool } from './pool.ts';

/** The guest that a process is started for. */
export interface GuestKind {
  readonly guest: Program['guest'];
  readonly memoryBytes: number;
  /** The share of one processor that the carrier limits, in percent. */
  readonly cpuPercent: number;
}

/** Bounds of a pool of guest processes. */
export interface PoolSettings {
  /** Maximum number of guest processes, idle ones included. */
  readonly maxProcesses?: number;
  /** Executions that may wait for a guest, default 1,000. Further ones fail with `BUSY`. */
  readonly maxWaiting?: number;
  /** Milliseconds after which an idle guest ends, or up to a fifth later; default 25,000. One stays warm. */
  readonly idleMs?: number;
  /** Memory limit of the first warm guest. Set it to the usual `memoryBytes`. Default 128 MiB. */
  readonly warmMemoryBytes?: number;
}

export interface PooledSandboxOptions {
  readonly name: string;
  readonly isolation: string;
  readonly languages: Sandbox['languages'];
  /** Starts the process, container or machine of a guest. May throw `SANDBOX_UNAVAILABLE`. */
  readonly start: (kind: GuestKind) => GuestCarrier;
  /** The settings of the user. */
  readonly pool?: PoolSettings;
  /** Maximum number of guest processes, if the user sets none; default 8. */
  readonly maxProcesses?: number;
  /** Number of ready guests of a kind, once the kind was requested; default 1. All but one, and at least one, wait for new users. */
  readonly warm?: number;
  /** Returns whether a guest may run the next program of the same tenant. Default: each guest runs one program. */
  readonly reusable?: (kind: GuestKind) => boolean;
  /** Returns the milliseconds after the time limit in which a guest may report its position; default 0. */
  readonly graceMs?: (kind: GuestKind) => number;
  /** Returns whether an unexpected end means that the memory limit was reached. Default: never. */
  readonly isOutOfMemory?: (end: ProcessEnd) => boolean;
  /**
   * Returns the resident memory at which the host ends a guest, which had `idleBytes` of it before its program. It needs
   * Linux. Default: none.
   */
  readonly maxResidentBytes?: (kind: GuestKind, idleBytes: number) => number;
  /**
   * Whether `start` limits the share of a processor by itself. Default: the host stops a process of Linux that has used its share.
   * Carriers of other kinds get a whole processor.
   */
  readonly limitsProcessor?: boolean;
  /** Called after all guests have ended. */
  readonly onDispose?: () => Promise<void>;
}

/** A guest that serves a user. */
interface ServingGuest {
  readonly worker: GuestProcess;
  readonly priority: ServingPriority;
}

const MAX_PROCESSES = 8;
const START_ATTEMPTS = 4;
/** Starting a guest slows running programs, so the next one starts after a run has ended or has lasted this long. */
const REFILL_AFTER_MS = 100;
/** The caller receives the outcome of a run before the next guest starts. */
const REFILL_DELAY_MS = 15;
const WARM_MEMORY_BYTES = 128 * 1024 * 1024;
const WHOLE_PERCENT = 100;

/**
 * Creates a sandbox from a way to start guests: it keeps guests ready, enforces the limits from outside and ends every guest.
 * Use it to write a sandbox of your own; all built-in sandboxes use it.
 */
export function createPooledSandbox(options: PooledSandboxOptions): Sandbox {
  const { name, isolation, languages, pool: settings = {}, warm = 1, isOutOfMemory = () => false } = options;
  const priorities = createGuestPriorities<GuestProcess>();
  const isReusable = (key: string) => options.reusable?.(readKind(key)) ?? false;
  const pool = createPool<GuestProcess>({
    start(key, isSpare) {
      const worker = openGuestProcess(
        key,
        withDescriptors(() => options.start(readKind(key))),
      );
      if (isSpare) priorities.startsSpare(worker);
      return worker;
    },
    reusable: isReusable,
    maxWorkers: settings.maxProcesses ?? options.maxProcesses ?? MAX_PROCESSES,
    maxWaiting: settings.maxWaiting ?? 1_000,
    idleMs: settings.idleMs ?? 25_000,
    keptForNewUsers: Math.max(1, warm - 1),
  });
  const [first] = languages;
  const memoryBytes = settings.warmMemoryBytes ?? WARM_MEMORY_BYTES;
  const unsubscribe = poolsAsked.subscribe((report) => report({ sandbox: name, ...pool.counts() }));
  if (first) pool.warm(writeKind({ guest: first, memoryBytes, cpuPercent: WHOLE_PERCENT }), 1);

  return {
    name,
    isolation,
    languages,
    async run(program, runOptions) {
      const { limits, signal, tenant = '', user = tenant, isNested } = runOptions;
      const cpuPercent = options.limitsProcessor ? (limits.cpuPercent ?? WHOLE_PERCENT) : WHOLE_PERCENT;
      const kind = { guest: program.guest, memoryBytes: limits.memoryBytes, cpuPercent };
      const key = writeKind(kind);
      // With little memory, a process may reach its limit before it has a program.
      const isTooLittle = ({ end }: GuestProcess) =>
        kind.memoryBytes < WARM_MEMORY_BYTES && end !== undefined && isOutOfMemory(end);
      const take = async () => {
        const worker = await pool.acquire(key, tenant, signal, isNested ? nestedUser(user) : user);
        return { worker, priority: priorities.serves(worker, () => pool.heldBy(user) > 1) };
      };
      const giveBack = ({ worker, priority }: ServingGuest) => {
        priority.end(isReusable(key));
        pool.release(worker);
      };
      const guest = await acquireReady(take, giveBack, isTooLittle);
      if (guest === undefined) return { status: 'stopped', limit: 'memory' };
      const { worker } = guest;
      const refill = () => pool.warm(key, warm);
      const waiting = setTimeout(refill, REFILL_AFTER_MS).unref();
      try {
        const bounds: Bounds = {
          graceMs: options.graceMs?.(kind) ?? 0,
          maxResidentBytes: options.maxResidentBytes?.(kind, worker.residentBytes() ?? 0),
          isOutOfMemory,
        };
        const outcomeOfGuest = worker.channel.run(program, {
          ...runOptions,
          onGuest: (running) => runOptions.onGuest?.({ ...running, onWanted: pool.onWaiting }),
        });
        const outcome = await supervise(worker, outcomeOfGuest, runOptions, bounds);
        if (outcome.status === 'stopped') worker.kill();
        return outcome;
      } finally {
        clearTimeout(waiting);
        setTimeout(refill, REFILL_DELAY_MS).unref();
        giveBack(guest);
      }
    },
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await pool[Symbol.asyncDispose]();
      await options.onDispose?.();
    },
  };
}

function writeKind({ guest, memoryBytes, cpuPercent }: GuestKind): string {
  return `${guest} ${memoryBytes} ${cpuPercent}`;
}

function readKind(key: string): GuestKind {
  const [guest, ...limits] = key.split(' ');
  const [memoryBytes = 0, cpuPercent = WHOLE_PERCENT] = limits.map(Number);
  return { guest: guest === 'python' ? 'python' : 'javascript', memoryBytes, cpuPercent };
}

/**
 * Returns a process that is ready, and replaces one that ended before it received a program. Returns `undefined` when none
 * can start with the given memory.
 */
async function acquireReady(
  take: () => Promise<ServingGuest>,
  giveBack: (guest: ServingGuest) => void,
  isTooLittle: (worker: GuestProcess) => boolean,
): Promise<ServingGuest | undefined> {
  for (let attempt = 1; ; attempt++) {
    const guest = await take();
    const { worker, priority } = guest;
    try {
      await worker.ready();
      priority.apply();
      return guest;
    } catch (error) {
      giveBack(guest);
      // The carrier is missing: another attempt cannot succeed.
      const unavailable = error instanceof SandboxError && error.code === 'SANDBOX_UNAVAILABLE';
      if (!unavailable && attempt < START_ATTEMPTS) continue;
      if (isTooLittle(worker)) return undefined;
      throw error;
    }
  }
}

/** The bounds that the host enforces from outside, in addition to the limits of the program. */
interface Bounds {
  readonly graceMs: number;
  readonly maxResidentBytes: number | undefined;
  readonly isOutOfMemory: (end: ProcessEnd) => boolean;
}

/** Returns the outcome of a run, or ends it at a limit, on the caller's signal or with its process. */
async function supervise(
  worker: GuestProcess,
  running: Promise<GuestOutcome>,
  { limits, signal, pauses, ranMs = 0 }: SandboxRunOptions,
  { graceMs, maxResidentBytes, isOutOfMemory }: Bounds,
): Promise<GuestOutcome> {
  const watches: (() => void)[] = [];
  let cancel: (() => void) | undefined;
  let forget: (() => void) | undefined;
  try {
    return await Promise.race([
      running,
      new Promise<GuestOutcome>((resolve, reject) => {
        const stop = (limit: 'timeout' | 'memory') => {
          worker.kill();
          resolve({ status: 'stopped', limit });
        };
        const watchdog = {
          leftMs: Math.max(1, limits.timeoutMs - ranMs),
          graceMs,
          pauses,
          onChange: worker.channel.setTime,
          onTimeout: () => stop('timeout'),
        };
        watches.push(startWatchdog(watchdog), watchProcessor(worker, limits.cpuPercent ?? WHOLE_PERCENT));
        if (maxResidentBytes !== undefined) watches.push(watchMemory(worker, maxResidentBytes, () => stop('memory')));
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
    for (const end of watches) end();
    forget?.();
    if (cancel) signal?.removeEventListener('abort', cancel);
  }
}

interface Watchdog {
  readonly pauses: SandboxRunOptions['pauses'] | undefined;
  readonly leftMs: number;
  /** Milliseconds after the limit in which a guest that measures time itself reports the position of its program. */
  readonly graceMs: number;
  /** Receives the milliseconds that are left when the time goes on or ends, and `undefined` when it stands still. */
  readonly onChange: (leftMs: number | undefined) => void;
  readonly onTimeout: () => void;
}

/** Calls `onTimeout` after the time that is left, without pauses, and the grace. Returns the function that ends this. */
function startWatchdog({ graceMs, pauses, onChange, onTimeout, ...limit }: Watchdog): () => void {
  let { leftMs } = limit;
  let startedAt = 0;
  let timer: NodeJS.Timeout;
  const end = () => {
    onChange(0);
    timer = setTimeout(onTimeout, graceMs);
  };
  const start = () => {
    startedAt = performance.now();
    timer = setTimeout(end, leftMs);
  };
  start();
  const forget = pauses?.onChange((isPaused) => {
    clearTimeout(timer);
    if (isPaused) leftMs = Math.max(1, leftMs - (performance.now() - startedAt));
    else start();
    onChange(isPaused ? undefined : leftMs);
  });
  return () => {
    clearTimeout(timer);
    forget?.();
  };
}
