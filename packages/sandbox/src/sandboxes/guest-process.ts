import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { SandboxError } from '../errors.ts';
import { registerGroup, unregisterGroup } from '../processes/reaper.ts';
import { type GuestChannel, openGuestChannel } from './channel.ts';
import type { Worker } from './pool.ts';

/** How a guest's process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Set when not the guest but what carries it is the cause: that never could, or no longer can. */
  readonly error?: SandboxError;
  /** Set when the kernel ended it, or a part of it, because of its memory limit. */
  readonly outOfMemory?: boolean;
}

/** What carries a guest: a child process, a container, a virtual machine. */
export interface GuestCarrier {
  /** Carries the frames of the bridge protocol, both ways. */
  readonly stream: Duplex;
  /** Ends the guest at once, with all that it started. May be called more than once. */
  kill(): void;
  /** Resolves once nothing of the guest runs any more. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

/** A guest that waits for a program, runs it, or is gone. */
export interface GuestProcess extends Worker {
  readonly channel: GuestChannel;
  /** How it ended; undefined while it lives. */
  readonly end: ProcessEnd | undefined;
}

/** A guest whose channel has ended is given this long to end as well, and tell how. */
const EXIT_GRACE_MS = 250;

/** A guest that is to run another program is given this long to get ready; one that is not was held up by its last. */
const RESET_MS = 3_000;

/** What a guest said last may be read only after the news of its end, when this process is busy. */
const DRAIN_TIMEOUT_MS = 500;

/** Makes a worker of what carries a guest. */
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
  void carrier.ended.then(async (how) => {
    isEnding = true;
    // A guest may tell its outcome and end at once: what it has sent counts, also when its end is known first.
    await drained(carrier.stream);
    await setImmediate();
    end = how;
    for (const listener of goneListeners) listener();
  });
  carrier.stream.once('close', () => {
    if (!end) setTimeout(kill, EXIT_GRACE_MS).unref();
  });

  const channel = openGuestChannel(carrier.stream, () => {
    isReady = true;
    clearTimeout(reset);
    for (const listener of readyListeners) listener();
  });
  const onGone = (listener: () => void) => {
    if (end) listener();
    else goneListeners.add(listener);
    return () => void goneListeners.delete(listener);
  };
  return {
    kind,
    channel: {
      run(program, runOptions) {
        isReady = false;
        return channel.run(program, runOptions).finally(() => {
          if (!isReady) reset = setTimeout(kill, RESET_MS).unref();
        });
      },
    },
    get end() {
      return end;
    },
    get gone() {
      return isEnding || end !== undefined;
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
            reject(
              end?.error ?? new SandboxError('SANDBOX_LOST', `The sandbox process did not start (${endText(end)}).`),
            ),
          );
        });
      } finally {
        readyListeners.delete(whenReady);
        forget();
      }
    },
    kill,
    onGone,
  };
}

/** Resolves once all has been read that was written to the other end, or nothing more comes. */
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

/** What differs from child process to child process. */
export interface ChildOptions {
  /** Descriptors beside the channel, which is 3: numbers of this process's own, from 4 on. */
  readonly descriptors?: readonly ('ignore' | 'pipe' | number)[];
  readonly uid?: number;
  readonly gid?: number;
  /** Called with the child once it is there, before it can have run. */
  readonly onStart?: (child: ChildProcess) => void;
}

/**
 * Starts a child process with an empty environment, no standard streams and the channel as its descriptor 3, in a process
 * group of its own, which ends with this process however that ends.
 */
export function spawnGuest(command: string, args: readonly string[], options: ChildOptions = {}): GuestCarrier {
  const { descriptors = [], uid, gid, onStart } = options;
  const child = spawn(command, args, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...descriptors],
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Duplex)) throw new SandboxError('SANDBOX_UNAVAILABLE', 'The sandbox got no channel.');
  if (child.pid !== undefined) registerGroup(child.pid);
  const ended = new Promise<ProcessEnd>((resolve) => {
    const end = () => {
      if (child.pid !== undefined) unregisterGroup(child.pid);
      resolve({ code: child.exitCode, signal: child.signalCode });
    };
    child.once('exit', end);
    child.once('error', end);
  });
  onStart?.(child);
  return { stream, kill: () => void child.kill('SIGKILL'), ended };
}

/** How a process ended, for messages. */
export function endText(end: ProcessEnd | undefined): string {
  if (!end) return 'still running';
  return end.signal ? `signal ${end.signal}` : `exit code ${end.code}`;
}
