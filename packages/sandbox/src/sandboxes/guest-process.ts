import type { ChildProcess, StdioOptions } from 'node:child_process';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { SandboxError } from '../errors.ts';
import { processorMs, residentBytes, setNiceness, setStopped } from '../processes/processor.ts';
import { registerGroup, unregisterGroup } from '../processes/reaper.ts';
import { startProcess } from '../processes/start-process.ts';
import { type GuestChannel, openGuestChannel } from './channel.ts';
import type { Worker } from './pool/pool.ts';

/** How a guest's process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Set if the carrier failed, not the guest: for instance, the container engine does not answer. */
  readonly error?: SandboxError;
  /** Set if the kernel killed a process of the guest because of its memory limit. */
  readonly outOfMemory?: boolean;
}

/** The controls of a guest. */
interface GuestControls {
  /** Sets its niceness. Returns false if a part of it has another one. */
  setNiceness(niceness: number): boolean;
  /** Returns the resident memory of its process; `undefined` if the system does not report it. */
  residentBytes(): number | undefined;
  /** Returns the processor time that it has used, in milliseconds; `undefined` if the system does not report it. */
  processorMs(): number | undefined;
  /** Stops all of its processes, or continues them. */
  setStopped(isStopped: boolean): void;
}

/** The carrier of a guest: a child process, a container or a virtual machine. It may lack controls. */
export interface GuestCarrier extends Partial<GuestControls> {
  /** Stream for the frames of the bridge protocol, in both directions. */
  readonly stream: Duplex;
  /** Milliseconds in which the guest must be ready; then it is killed. Default: without an end. */
  readonly startMs?: number;
  /** Kills the guest and everything that it started. It may be called more than once. */
  kill(): void;
  /** Resolves once all processes of the guest have ended. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

/** A guest that is ready, runs a program, or has ended. */
export interface GuestProcess extends Worker, GuestControls {
  readonly channel: GuestChannel;
  /** How it ended; `undefined` while it runs. */
  readonly end: ProcessEnd | undefined;
}

/** A guest whose channel has closed must end within this time, so that its exit code is known. */
const EXIT_GRACE_MS = 250;

/** A reusable guest must be ready for its next program within this time. */
const RESET_MS = 3_000;

/** A busy host may learn about the end of a guest before it has read the guest's last frames. */
const DRAIN_TIMEOUT_MS = 500;

/** Creates a worker of a pool from the carrier of a guest. */
export function openGuestProcess(kind: string, carrier: GuestCarrier): GuestProcess {
  let end: ProcessEnd | undefined;
  let isEnding = false;
  let isReady = false;
  let reset: NodeJS.Timeout | undefined;
  const goneListeners = new Set<() => void>();
  const readyListeners = new Set<() => void>();
  const kill = () => {
    isEnding = true;
    carrier.kill();
  };
  const start = carrier.startMs === undefined ? undefined : setTimeout(kill, carrier.startMs).unref();
  void carrier.ended.then(async (how) => {
    isEnding = true;
    clearTimeout(start);
    // A guest may end right after its outcome: its sent frames count, even if its end is known first.
    await drained(carrier.stream);
    await setImmediate();
    end = how;
    for (const listener of goneListeners) listener();
  });
  carrier.stream.once('close', () => {
    if (!end) setTimeout(kill, EXIT_GRACE_MS).unref();
  });

  const channel = openGuestChannel(carrier.stream, {
    onReady() {
      isReady = true;
      clearTimeout(start);
      clearTimeout(reset);
      for (const listener of readyListeners) listener();
    },
    onRetired: kill,
  });
  const onGone = (listener: () => void) => {
    if (end) listener();
    else goneListeners.add(listener);
    return () => void goneListeners.delete(listener);
  };
  return {
    kind,
    ...controlsOf(carrier),
    channel: {
      setTime: channel.setTime,
      run(program, runOptions) {
        isReady = false;
        return channel.run(program, runOptions).finally(() => {
          if (!isReady) reset = setTimeout(kill, RESET_MS).unref();
        });
      },
    },
    get isReady() {
      return isReady;
    },
    get end() {
      return end;
    },
    get gone() {
      return isEnding || end !== undefined;
    },
    async ready() {
      if (!isReady) await whenReady(readyListeners, onGone, () => end);
    },
    kill,
    onGone,
  };
}

/** Resolves when a process is ready. Rejects with `SANDBOX_LOST` when it ends first. */
async function whenReady(
  listeners: Set<() => void>,
  onGone: GuestProcess['onGone'],
  end: () => ProcessEnd | undefined,
): Promise<void> {
  let isReady: () => void = () => undefined;
  let forget: () => void = () => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      isReady = resolve;
      listeners.add(isReady);
      const refuse = () => new SandboxError('SANDBOX_LOST', `The sandbox process did not start (${endText(end())}).`);
      forget = onGone(() => reject(end()?.error ?? refuse()));
    });
  } finally {
    listeners.delete(isReady);
    forget();
  }
}

/** Returns the controls of a guest. A carrier may lack some. */
function controlsOf(carrier: GuestCarrier): GuestControls {
  return {
    setNiceness: (niceness) => carrier.setNiceness?.(niceness) ?? true,
    residentBytes: () => carrier.residentBytes?.(),
    processorMs: () => carrier.processorMs?.(),
    setStopped: (isStopped) => carrier.setStopped?.(isStopped),
  };
}

/** Resolves once the stream is read to its end, or after a timeout. */
async function drained(stream: Duplex): Promise<void> {
  if (stream.destroyed || stream.readableEnded) return;
  let late: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
    late = setTimeout(resolve, DRAIN_TIMEOUT_MS);
  });
  clearTimeout(late);
}

/** Options of one child process. */
export interface ChildOptions {
  /** Further descriptors of the child, from 4 on; the channel is 3. A number is a descriptor of this process. */
  readonly descriptors?: readonly ('ignore' | 'pipe' | number)[];
  readonly uid?: number;
  readonly gid?: number;
  /** Called with the child right after its start. */
  readonly onStart?: (child: ChildProcess) => void;
}

/**
 * Starts a child process as the carrier of a guest. The child has an empty environment, no standard streams, and the channel
 * as descriptor 3. Its process group ends with this process, even on SIGKILL. Raises `BUSY` without a free descriptor.
 */
export function spawnGuest(command: string, args: readonly string[], options: ChildOptions = {}): GuestCarrier {
  const { descriptors = [], uid, gid, onStart } = options;
  let end: (error?: NodeJS.ErrnoException) => void = () => undefined;
  const settings = {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...descriptors] satisfies StdioOptions,
    uid,
    gid,
  };
  const child = startProcess(command, args, settings, (error) => end(error));
  const stream = child.stdio[3];
  if (!(stream instanceof Duplex)) throw new SandboxError('SANDBOX_UNAVAILABLE', 'The sandbox process has no channel.');
  if (child.pid !== undefined) registerGroup(child.pid);
  const ended = new Promise<ProcessEnd>((resolve) => {
    end = (error) => {
      if (child.pid !== undefined) unregisterGroup(child.pid);
      const cause = child.pid === undefined && error ? { error: startError(error) } : {};
      resolve({ code: child.exitCode, signal: child.signalCode, ...cause });
    };
    child.once('exit', () => end());
  });
  onStart?.(child);
  return {
    stream,
    kill: () => void child.kill('SIGKILL'),
    setNiceness: (niceness) => child.pid !== undefined && setNiceness(child.pid, niceness),
    residentBytes: () => (child.pid === undefined ? undefined : residentBytes(child.pid)),
    processorMs: () => (child.pid === undefined ? undefined : processorMs(child.pid)),
    setStopped: (isStopped) => void (child.pid !== undefined && setStopped(child.pid, isStopped)),
    ended,
  };
}

/** Errors of a machine that can hold no further process now. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['EAGAIN', 'ENOMEM']);

function startError(error: NodeJS.ErrnoException): SandboxError {
  const fix = 'Try again in some seconds, or raise the limits of processes (ulimit -u, TasksMax) and of memory.';
  return NO_ROOM.has(error.code)
    ? new SandboxError('BUSY', `No further process can start on this machine (${error.code}). ${fix}`, { cause: error })
    : new SandboxError('SANDBOX_LOST', `The sandbox process did not start (${error.message}).`, { cause: error });
}

/** Returns the end of a process as text for messages. */
export function endText(end: ProcessEnd | undefined): string {
  if (!end) return 'still running';
  return end.signal ? `signal ${end.signal}` : `exit code ${end.code}`;
}
