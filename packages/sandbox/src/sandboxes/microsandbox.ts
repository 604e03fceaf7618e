import { SandboxError } from '../errors.ts';
import { defaultImage } from './docker/image.ts';
import type { ProcessEnd } from './guest-process.ts';
import { findCommand } from './microsandbox/command.ts';
import { startMachine } from './microsandbox/machine.ts';
import { probeMachine } from './microsandbox/probe.ts';
import { openVmReaper } from './microsandbox/vm-reaper.ts';
import { createPooledSandbox, type PoolSettings } from './pool/pooled.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** Settings of the sandbox. Default 4 machines; each has its own kernel and its own memory. */
export interface MicrosandboxOptions extends PoolSettings {
  /** The image with the guest files, default `toolwright-guest:<version of this package>`. `msb` must have it already. */
  readonly image?: string;
  /** Path of `msb`. Default: `msb` on the path, else the installer's. */
  readonly command?: string;
  /** Folder of a layer with Python packages. Default: none. */
  readonly packages?: string | undefined;
}

/** At the time limit, Python reports its position, which takes a moment. V8 cannot. */
const WATCHDOG_GRACE_MS = { javascript: 0, python: 60 } as const;
/** V8 aborts by SIGABRT, SIGTRAP or SIGILL when its heap is full. 101: the kernel killed a process inside. */
const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [134, 133, 132, 101];

/**
 * Creates a sandbox that runs each program in its own microVM of microsandbox: its own kernel, no network, no file of the host.
 * Raises `SANDBOX_UNAVAILABLE` if `msb` is not installed.
 */
export function microsandboxSandbox(options: MicrosandboxOptions = {}): Sandbox {
  const { image = defaultImage(), packages } = options;
  const command = findCommand(options.command);
  if (command === undefined) {
    const where = options.command ?? 'msb, the command of microsandbox,';
    throw new SandboxError(
      'SANDBOX_UNAVAILABLE',
      `${where} was not found. Run "toolwright doctor" for the missing parts.`,
    );
  }
  const reaper = openVmReaper(command);
  void reaper.removeOrphans();
  return createPooledSandbox({
    name: 'microsandbox',
    isolation: 'microVM with its own kernel, no network, no file of the host, one for each execution',
    languages: ['javascript', 'python'],
    pool: options,
    maxProcesses: 4,
    warm: 1,
    reusable: () => false,
    start: (kind) => startMachine(kind, { command, image, reaper, packages }),
    graceMs: ({ guest }) => WATCHDOG_GRACE_MS[guest],
    isOutOfMemory: ({ code }: ProcessEnd) => OUT_OF_MEMORY_CODES.includes(code),
    onDispose: () => reaper.close(),
  });
}

/** Returns whether this sandbox works on this machine, and the missing part if it does not. */
export function probeMicrosandbox({
  image = defaultImage(),
  command,
}: MicrosandboxOptions = {}): Promise<SandboxProbe> {
  return probeMachine(image, command);
}
