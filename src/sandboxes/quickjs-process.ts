import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ToolwrightError } from '../errors.ts';
import { registerGroup, unregisterGroup } from '../reaper.ts';
import { type GuestChannel, openGuestChannel } from './channel.ts';
import { packagePaths } from './package-paths.ts';
import type { Worker } from './pool.ts';

/** A child process with the interpreter in it. */
export interface QuickjsProcess extends Worker {
  readonly channel: GuestChannel;
  readonly child: ChildProcess;
}

/** V8's stack in the child, KiB: room for the interpreter below the 8 MiB that systems give a main thread. */
const CHILD_STACK_KIB = 6_800;
/** V8's heap in the child, MiB: its own code, and messages on their way. The guest's memory lies outside. */
const CHILD_HEAP_MIB = 256;
const GUEST_ENTRY = fileURLToPath(new URL('../guest/quickjs.js', import.meta.url));
/** The interpreter's packages, each with what it imports itself. */
const ENGINE_PACKAGES = {
  'quickjs-emscripten-core': ['@jitl/quickjs-ffi-types'],
  '@jitl/quickjs-wasmfile-release-sync': ['@jitl/quickjs-ffi-types'],
};

/** Starts a process that runs guests of up to `kind` bytes of memory. */
export function startQuickjsProcess(kind: string): QuickjsProcess {
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
  const goneListeners = new Set<() => void>();
  const readyListeners = new Set<() => void>();
  const end = () => {
    if (gone) return;
    gone = true;
    if (child.pid !== undefined) unregisterGroup(child.pid);
    for (const listener of goneListeners) listener();
  };
  child.once('exit', end);
  child.once('error', end);

  const channel = openGuestChannel(stream, () => {
    isReady = true;
    for (const listener of readyListeners) listener();
  });
  const onGone = (listener: () => void) => {
    if (gone) listener();
    else goneListeners.add(listener);
    return () => void goneListeners.delete(listener);
  };
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
    async ready() {
      if (isReady) return;
      let whenReady: () => void = () => undefined;
      let forget: () => void = () => undefined;
      try {
        await new Promise<void>((resolve, reject) => {
          whenReady = resolve;
          readyListeners.add(whenReady);
          forget = onGone(() =>
            reject(new ToolwrightError('SANDBOX_LOST', `The sandbox process did not start (${endOf(child)}).`)),
          );
        });
      } finally {
        readyListeners.delete(whenReady);
        forget();
      }
    },
    kill: () => void child.kill('SIGKILL'),
    onGone,
  };
}

/** The second layer: what even a guest that broke out of the interpreter may read, and that it may start nothing. */
export function nodeFlags(): string[] {
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  return [
    permission,
    ...readablePaths().map((path) => `--allow-fs-read=${path}`),
    '--no-warnings',
    '--disable-proto=delete',
    `--stack-size=${CHILD_STACK_KIB}`,
    `--max-old-space-size=${CHILD_HEAP_MIB}`,
  ];
}

let readable: readonly string[] | undefined;

/** All that the process may read: the guest's files and the interpreter's packages. Throws when those are missing. */
export function readablePaths(): readonly string[] {
  readable ??= packagePaths(GUEST_ENTRY, ENGINE_PACKAGES);
  return readable;
}

/** How a process ended, for messages. */
export function endOf(child: ChildProcess): string {
  return child.signalCode ? `signal ${child.signalCode}` : `exit code ${child.exitCode}`;
}
