import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { GuestOutcome } from '../bridge/protocol.ts';
import { ToolwrightError } from '../errors.ts';
import { registerGroup, unregisterGroup } from '../reaper.ts';
import { type GuestChannel, openGuestChannel } from './channel.ts';
import { createPool, type Worker } from './pool.ts';
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
/** V8's stack in the child, KiB: room for the interpreter below the 8 MiB that systems give a main thread. */
const CHILD_STACK_KIB = 6_800;
/** V8's heap in the child, MiB: its own code, and messages on their way. The guest's memory lies outside. */
const CHILD_HEAP_MIB = 256;
const ABORTED_EXIT_CODE = 134;
const START_ATTEMPTS = 4;
const GUEST_ENTRY = fileURLToPath(new URL('../guest/quickjs.js', import.meta.url));
const ENGINE_PACKAGES = ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync', '@jitl/quickjs-ffi-types'];

/**
 * A QuickJS interpreter in WebAssembly, inside a child process that the host can kill: needs nothing but npm.
 * Fresh context per program, one program at a time per process, one tenant per process.
 */
export function quickjsSandbox(options: QuickjsSandboxOptions = {}): Sandbox {
  const pool = createPool<QuickjsWorker>({
    start: startWorker,
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
    engineFolders();
    return { available: true, reason: 'WebAssembly interpreter from npm in a child process' };
  } catch {
    return { available: false, reason: 'the packages of the interpreter are not installed', fix: 'run: npm ci' };
  }
}

interface QuickjsWorker extends Worker {
  readonly channel: GuestChannel;
  readonly child: ChildProcess;
}

/** A process that ended before it got a program, as one does that its last program wore out, is replaced. */
async function acquireReady(
  acquire: () => Promise<QuickjsWorker>,
  release: (worker: QuickjsWorker) => void,
): Promise<QuickjsWorker> {
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
  worker: QuickjsWorker,
  running: Promise<GuestOutcome>,
  { limits, signal }: SandboxRunOptions,
): Promise<GuestOutcome> {
  let watchdog: NodeJS.Timeout | undefined;
  let cancel: (() => void) | undefined;
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
        worker.onGone(() => {
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
    if (cancel) signal?.removeEventListener('abort', cancel);
  }
}

function startWorker(kind: string): QuickjsWorker {
  const child = spawn(process.execPath, [...nodeFlags(), GUEST_ENTRY, kind], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Duplex)) throw new ToolwrightError('SANDBOX_UNAVAILABLE', 'The sandbox got no channel.');
  if (child.pid !== undefined) registerGroup(child.pid);

  let gone = false;
  let isReady = false;
  const goneListeners: (() => void)[] = [];
  let readyListeners: (() => void)[] = [];
  const end = () => {
    if (gone && goneListeners.length === 0) return;
    gone = true;
    if (child.pid !== undefined) unregisterGroup(child.pid);
    for (const listener of goneListeners.splice(0)) listener();
  };
  child.once('exit', end);
  child.once('error', end);

  const channel = openGuestChannel(stream, () => {
    isReady = true;
    for (const listener of readyListeners.splice(0)) listener();
  });
  return {
    kind,
    child,
    channel: {
      run(program, runOptions) {
        isReady = false;
        return channel.run(program, runOptions);
      },
    },
    get gone() {
      return gone || child.killed;
    },
    ready() {
      if (isReady) return Promise.resolve();
      return new Promise<void>((resolve, reject) => {
        readyListeners = [resolve];
        this.onGone(() =>
          reject(new ToolwrightError('SANDBOX_LOST', `The sandbox process did not start (${endOf(child)}).`)),
        );
      });
    },
    kill: () => void child.kill('SIGKILL'),
    onGone(listener) {
      if (gone) listener();
      else goneListeners.push(listener);
    },
  };
}

/** The second layer: what even a guest that broke out of the interpreter may read, and that it may start nothing. */
function nodeFlags(): string[] {
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  return [
    permission,
    ...engineFolders().map((folder) => `--allow-fs-read=${folder}/*`),
    '--no-warnings',
    '--disable-proto=delete',
    `--stack-size=${CHILD_STACK_KIB}`,
    `--max-old-space-size=${CHILD_HEAP_MIB}`,
  ];
}

let folders: string[] | undefined;

function engineFolders(): string[] {
  const require = createRequire(import.meta.url);
  folders ??= [dirname(GUEST_ENTRY), ...ENGINE_PACKAGES.map((name) => packageFolder(require.resolve(name), name))].map(
    (folder) => realpathSync(folder),
  );
  return folders;
}

function packageFolder(entry: string, name: string): string {
  return entry.slice(0, entry.lastIndexOf(name) + name.length);
}

function endOf(child: ChildProcess): string {
  return child.signalCode ? `signal ${child.signalCode}` : `exit code ${child.exitCode}`;
}
