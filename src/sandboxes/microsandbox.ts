import { readFileSync } from 'node:fs';
import { ToolwrightError } from '../errors.ts';
import { openGuestProcess, type ProcessEnd } from './guest-process.ts';
import { findCommand } from './microsandbox/command.ts';
import { openKeeper } from './microsandbox/keeper.ts';
import { startMachine } from './microsandbox/machine.ts';
import { probeMachine } from './microsandbox/probe.ts';
import { createPooledSandbox, type PoolSettings } from './pooled.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** Default 4 machines: each has its own kernel and takes its memory for itself. */
export interface MicrosandboxOptions extends PoolSettings {
  /** The image with the guest files, default `toolwright-guest:<version of this package>`. `msb` must have it already. */
  readonly image?: string;
  /** Path of `msb`; default: the one on the path, or the installer's. */
  readonly command?: string;
}

/** The host's clock starts with the run frame, and a machine that is late is killed at once. */
const WATCHDOG_GRACE_MS = 40;
/** V8 gave up for want of memory; the guest's start script says that the kernel ended the guest. */
const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [134, 101];

/**
 * A microVM of microsandbox for each execution: a kernel of its own, no network, no file of the host. Raises
 * `SANDBOX_UNAVAILABLE` when there is no `msb`.
 */
export function microsandboxSandbox(options: MicrosandboxOptions = {}): Sandbox {
  const { image = defaultImage() } = options;
  const command = findCommand(options.command);
  if (command === undefined) {
    const where = options.command ?? 'msb, the command of microsandbox,';
    throw new ToolwrightError('SANDBOX_UNAVAILABLE', `${where} was not found. Run "toolwright doctor" for what to do.`);
  }
  const keeper = openKeeper(command);
  void keeper.sweep();
  return createPooledSandbox({
    name: 'microsandbox',
    isolation: 'microVM with a kernel of its own, no network, no file of the host, one for each execution',
    languages: ['javascript', 'python'],
    pool: options,
    maxProcesses: 4,
    warm: 1,
    reusable: () => false,
    start: (kind, key) => openGuestProcess(key, startMachine(kind, { command, image, keeper })),
    graceMs: () => WATCHDOG_GRACE_MS,
    isOutOfMemory: ({ code }: ProcessEnd) => OUT_OF_MEMORY_CODES.includes(code),
    onDispose: () => keeper.close(),
  });
}

/** Tells whether this sandbox can run here, and what is missing when it cannot. */
export function probeMicrosandbox({
  image = defaultImage(),
  command,
}: MicrosandboxOptions = {}): Promise<SandboxProbe> {
  return probeMachine(image, command);
}

/** The image of this version: guest files of another one may speak another protocol. */
function defaultImage(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return `toolwright-guest:${version}`;
}
