import { type ChildProcess, spawn } from 'node:child_process';
import type { SandboxErrorCode } from '../errors.ts';
import { setNiceness } from '../processes/priority.ts';
import { registerGroup, unregisterGroup } from '../processes/reaper.ts';
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

/** Why a worker gave no answer. `start` is a worker that never ran: the text is not the cause. */
export type WorkerLoss = 'start' | 'time' | 'crash';

/** One language worker: a process that answers one request at a time. */
export interface LanguageWorker {
  /** False once its process has ended or was killed. */
  alive(): boolean;
  /** Sends a request. Resolves to the answer, or to the reason for which there is none; the worker has ended then. */
  request(request: WorkerRequest, timeoutMs: number): Promise<WorkerAnswer | { readonly lost: WorkerLoss }>;
  kill(): void;
}

/** Memory that one process of a worker may write to. A text of 512 KiB takes less than a third. */
const MAX_DATA_KIB = 1024 * 1024;
/** V8's heap in the worker, MiB. */
const MAX_HEAP_MIB = 512;
const START_TIMEOUT_MS = 20_000;
/** The serving process goes first. */
const NICENESS = 5;

/** Starts a language worker. It ends with this process, even on SIGKILL, and does not keep it alive while it is idle. */
export function startWorker(): LanguageWorker {
  const child = spawnLimited();
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
  const ready = new Promise<boolean>((resolve) => {
    const late = setTimeout(kill, START_TIMEOUT_MS).unref();
    child.once('message', () => {
      clearTimeout(late);
      resolve(true);
      child.on('message', (answer) => take(answer as WorkerAnswer));
    });
    const ended = () => {
      kill();
      if (child.pid !== undefined) unregisterGroup(child.pid);
      clearTimeout(late);
      resolve(false);
      end('crash');
    };
    child.once('error', ended);
    child.once('exit', ended);
  });
  child.unref();
  holdProcess(child, false);

  return {
    alive: () => alive,
    kill,
    async request(request, timeoutMs) {
      holdProcess(child, true);
      try {
        if (!(await ready)) return { lost: 'start' };
        return await new Promise((resolve) => {
          const late = setTimeout(() => end('time'), timeoutMs);
          take = (answer) => {
            clearTimeout(late);
            resolve(answer);
          };
          end = (lost) => {
            clearTimeout(late);
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

/** Starts the process. A shell sets its memory limit and is replaced by it. macOS and Windows have only the limit of V8. */
function spawnLimited(): ChildProcess {
  const flags = ['--no-warnings', `--max-old-space-size=${MAX_HEAP_MIB}`, WORKER_ENTRY];
  const limited = `ulimit -c 0; ulimit -d ${MAX_DATA_KIB} 2>/dev/null; exec "$0" "$@"`;
  const [command, args] =
    process.platform === 'win32' ? [process.execPath, flags] : ['/bin/sh', ['-c', limited, process.execPath, ...flags]];
  return spawn(command, args, {
    cwd: '/',
    detached: true,
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  });
}

/** Sets whether the worker keeps this process alive. */
function holdProcess({ channel }: ChildProcess, isHeld: boolean): void {
  if (isHeld) channel?.ref();
  else channel?.unref();
}
