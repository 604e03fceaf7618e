import type { ChildProcess, StdioOptions } from 'node:child_process';
import { isKnownError, type SandboxErrorCode } from '../errors.ts';
import { processorMs, setNiceness } from '../processes/processor.ts';
import { registerGroup, unregisterGroup } from '../processes/reaper.ts';
import { startProcess } from '../processes/start-process.ts';
import { WORKER_ENTRY } from './entry.ts';

/** A request to a language worker. */
export interface WorkerRequest {
  readonly operation: string;
  readonly input: unknown;
}

/** An answer of a language worker: a value, a mistake in the text, a text that is too complex, or a defect. */
export type WorkerAnswer =
  | { readonly value: unknown }
  | {
      readonly error: {
        readonly code: SandboxErrorCode;
        readonly message: string;
        readonly details: Readonly<Record<string, unknown>>;
      };
    }
  | { readonly tooComplex: string }
  | { readonly defect: string };

/** Why a worker gave no answer. `start` is a worker that never ran, and `busy` one that hardly ran: the text is not the cause. */
export type WorkerLoss = 'start' | 'busy' | 'time' | 'crash';

/** A request without an answer. */
export interface LostRequest {
  readonly lost: WorkerLoss;
  /** Why the worker did not start, if the system reported it. */
  readonly why?: string | undefined;
}

/** One language worker: a process that answers one request at a time. */
export interface LanguageWorker {
  /** False once its process has ended or was killed. */
  alive(): boolean;
  /**
   * Sends a request, which may take `timeoutMs` of processor time; of elapsed time where the system does not report it. Resolves to the
   * answer, or to the reason for which there is none; the worker has ended then.
   */
  request(request: WorkerRequest, timeoutMs: number): Promise<WorkerAnswer | LostRequest>;
  kill(): void;
}

/** Memory that one process of a worker may write to. A text of 512 KiB takes less than a third. */
const MAX_DATA_KIB = 1024 * 1024;
/** V8's heap in the worker, MiB. */
const MAX_HEAP_MIB = 512;
const START_TIMEOUT_MS = 20_000;
/** Elapsed milliseconds that a text may take on a machine that does other work. */
const MAX_ELAPSED_MS = 30_000;
/** A worker that uses less of a processor waits for something that never comes. */
const MIN_SHARE = 0.005;
/** The serving process goes first. */
const NICENESS = 5;

/** Starts a language worker. It ends with this process, even on SIGKILL, and does not keep it alive while it is idle. */
export function startWorker(): LanguageWorker {
  let ended: (error?: Error) => void = () => undefined;
  try {
    return connectWorker(
      spawnLimited((error) => ended(error)),
      (listener) => {
        ended = listener;
      },
    );
  } catch (error) {
    if (!isKnownError(error)) throw error;
    return { alive: () => false, kill: () => undefined, request: async () => ({ lost: 'start', why: error.message }) };
  }
}

/** Returns the worker of a process. `onError` accepts the listener for the errors of the process. */
function connectWorker(child: ChildProcess, onError: (listener: (error?: Error) => void) => void): LanguageWorker {
  let alive = child.pid !== undefined;
  let end: (loss: WorkerLoss) => void = () => undefined;
  let take: (answer: WorkerAnswer) => void = () => undefined;
  if (child.pid !== undefined) {
    registerGroup(child.pid);
    // Where the system refuses it, the worker works too.
    setNiceness(child.pid, NICENESS);
  }
  const kill = () => {
    alive = false;
    if (child.pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  let why: string | undefined;
  const ready = new Promise<boolean>((resolve) => {
    const late = setTimeout(kill, START_TIMEOUT_MS).unref();
    child.once('message', () => {
      clearTimeout(late);
      resolve(true);
      child.on('message', (answer) => take(answer as WorkerAnswer));
    });
    const ended = (error?: Error) => {
      why = error?.message;
      kill();
      if (child.pid !== undefined) unregisterGroup(child.pid);
      clearTimeout(late);
      resolve(false);
      end('crash');
    };
    onError(ended);
    child.once('exit', () => ended());
  });
  child.unref();
  holdProcess(child, false);

  return {
    alive: () => alive,
    kill,
    async request(request, timeoutMs) {
      holdProcess(child, true);
      try {
        if (!(await ready)) return { lost: 'start', why };
        return await new Promise((resolve) => {
          const late = limitTime(child.pid, timeoutMs, (loss) => end(loss));
          take = (answer) => {
            late.clear();
            resolve(answer);
          };
          end = (lost) => {
            late.clear();
            kill();
            resolve({ lost });
          };
          if (!alive) end('crash');
          else child.send(request, (error) => error && end('crash'));
        });
      } finally {
        holdProcess(child, false);
      }
    },
  };
}

/** Calls `end` when a process has used its time, waits for nothing, or got too little time. */
function limitTime(pid: number | undefined, timeoutMs: number, end: (loss: WorkerLoss) => void) {
  const used = () => (pid === undefined ? undefined : processorMs(pid));
  const [startedMs, before = Number.NaN] = [performance.now(), used()];
  let timer: NodeJS.Timeout;
  const look = () => {
    const elapsedMs = performance.now() - startedMs;
    const usedMs = (used() ?? Number.NaN) - before;
    const isStill = usedMs < elapsedMs * MIN_SHARE;
    if (isStill || !(usedMs < timeoutMs)) end('time');
    else if (elapsedMs > Math.max(MAX_ELAPSED_MS, timeoutMs)) end('busy');
    else timer = setTimeout(look, timeoutMs - usedMs);
  };
  timer = setTimeout(look, timeoutMs);
  return { clear: () => clearTimeout(timer) };
}

/** Starts the process. A shell sets its memory limit and is replaced by it. macOS and Windows have only the limit of V8. */
function spawnLimited(onError: (error: Error) => void): ChildProcess {
  const flags = ['--no-warnings', `--max-old-space-size=${MAX_HEAP_MIB}`, WORKER_ENTRY];
  const limited = `ulimit -c 0; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`;
  const [command, args] =
    process.platform === 'win32' ? [process.execPath, flags] : ['/bin/sh', ['-c', limited, process.execPath, ...flags]];
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
  return startProcess(command, args, { cwd: '/', detached: true, env: {}, stdio, windowsHide: true }, onError);
}

/** Sets whether the worker keeps this process alive. */
function holdProcess({ channel }: ChildProcess, isHeld: boolean): void {
  if (isHeld) channel?.ref();
  else channel?.unref();
}
