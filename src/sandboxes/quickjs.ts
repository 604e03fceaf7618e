import type { GuestOutcome } from '../bridge/protocol.ts';
import { ToolwrightError } from '../errors.ts';
import { createPool } from './pool.ts';
import { endOf, type QuickjsProcess, readablePaths, startQuickjsProcess } from './quickjs-process.ts';
import type { Sandbox, SandboxProbe, SandboxRunOptions } from './sandbox.ts';

export interface QuickjsSandboxOptions {
  /** Child processes at most, default 8. Each takes about 45 MB, shared pages included. */
  readonly maxProcesses?: number;
  /** Executions that may wait for a process, default 1,000; more are refused with `BUSY`. */
  readonly maxWaiting?: number;
  /** Milliseconds after which an idle process ends, default 30,000. One stays warm. */
  readonly idleMs?: number;
  /** Memory limit that the warm process is started for; match it with the usual `memoryBytes`. Default 128 MiB. */
  readonly warmMemoryBytes?: number;
}

/** The guest's own deadline ends it first; the process is killed this much later whatever it does. */
const WATCHDOG_GRACE_MS = 40;
const ABORTED_EXIT_CODE = 134;
const START_ATTEMPTS = 4;

/**
 * A QuickJS interpreter in WebAssembly, inside a child process that the host can kill: needs nothing but npm.
 * Fresh context per program, one program at a time per process, one tenant per process.
 */
export function quickjsSandbox(options: QuickjsSandboxOptions = {}): Sandbox {
  const pool = createPool<QuickjsProcess>({
    start: startQuickjsProcess,
    maxWorkers: options.maxProcesses ?? 8,
    maxWaiting: options.maxWaiting ?? 1_000,
    idleMs: options.idleMs ?? 30_000,
  });
  const warmKind = String(options.warmMemoryBytes ?? 128 * 1024 * 1024);
  pool.warm(warmKind);

  return {
    name: 'quickjs',
    isolation:
      'WebAssembly interpreter in a killable child process with an empty environment and Node permission flags',
    languages: ['javascript'],
    async run(program, runOptions) {
      const { limits, signal, tenant = '' } = runOptions;
      const worker = await acquireReady(() => pool.acquire(String(limits.memoryBytes), tenant, signal), pool.release);
      pool.warm(warmKind);
      try {
        const outcome = await supervise(worker, worker.channel.run(program, runOptions), runOptions);
        if (outcome.status === 'stopped') worker.kill();
        return outcome;
      } finally {
        pool.release(worker);
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** Tells whether this sandbox can run here. It needs nothing but its npm packages. */
export async function probeQuickjs(): Promise<SandboxProbe> {
  try {
    readablePaths();
    return { available: true, reason: 'WebAssembly interpreter from npm in a child process' };
  } catch {
    return { available: false, reason: 'the packages of the interpreter are not installed', fix: 'run: npm ci' };
  }
}

/** A process that ended before it got a program, as one does that its last program wore out, is replaced. */
async function acquireReady(
  acquire: () => Promise<QuickjsProcess>,
  release: (worker: QuickjsProcess) => void,
): Promise<QuickjsProcess> {
  for (let attempt = 1; ; attempt++) {
    const worker = await acquire();
    try {
      await worker.ready();
      return worker;
    } catch (error) {
      release(worker);
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

/** Races a run against the clock, the caller's signal and the end of the process. */
async function supervise(
  worker: QuickjsProcess,
  running: Promise<GuestOutcome>,
  { limits, signal }: SandboxRunOptions,
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
        }, limits.timeoutMs + WATCHDOG_GRACE_MS);
        cancel = () => {
          worker.kill();
          reject(new ToolwrightError('CANCELLED', 'The execution was cancelled.'));
        };
        if (signal?.aborted) cancel();
        else signal?.addEventListener('abort', cancel, { once: true });
        forget = worker.onGone(() => {
          if (worker.child.exitCode === ABORTED_EXIT_CODE || worker.child.signalCode === 'SIGABRT') {
            resolve({ status: 'stopped', limit: 'memory' });
          } else {
            reject(new ToolwrightError('SANDBOX_LOST', `The sandbox process ended early (${endOf(worker.child)}).`));
          }
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
