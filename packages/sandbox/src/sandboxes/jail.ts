import { messageOf, SandboxError } from '../errors.ts';
import type { Program } from '../languages/language.ts';
import type { ProcessEnd } from './guest-process.ts';
import { hasCgroups } from './jail/cgroup/cgroup.ts';
import { createCgroupSlots } from './jail/cgroup/cgroup-slots.ts';
import { type JailGuest, javascriptGuest, pythonGuest } from './jail/guest.ts';
import { tryJail } from './jail/probe.ts';
import { findTools } from './jail/tools.ts';
import { createPooledSandbox, type PoolSettings } from './pool/pooled.ts';
import type { Sandbox, SandboxProbe } from './sandbox.ts';

/** Settings of the pool. Default 16 jails; each uses about 10 MB of its own, and about 60 MB more with pandas. */
export interface JailSandboxOptions extends PoolSettings {
  /** Folder of a layer with Python packages, which programs can import. The user of the jail must be able to read it. Default: none. */
  readonly packages?: string | undefined;
}

type Guest = Program['guest'];

/** A jail that is not ready after these milliseconds hangs: another one is started. A slow machine needs 5 seconds. */
const START_MS = 30_000;
/** At the time limit, Python reports its position, which takes a moment. V8 cannot. */
const WATCHDOG_GRACE_MS: Readonly<Record<Guest, number>> = { javascript: 0, python: 60 };
/** V8 aborts by SIGABRT, SIGTRAP or SIGILL when its heap is full. Bubblewrap reports a signal as 128 plus its number. */
const ABORTED_EXIT_CODES: ReadonlySet<number | null> = new Set([128 + 6, 128 + 5, 128 + 4]);
const LANGUAGES = ['javascript', 'python'] as const;

const guests = new Map<Guest, Promise<JailGuest>>();
const probes = new Map<Guest, Promise<SandboxProbe>>();

/**
 * Creates a sandbox with the system's Node and CPython, each in a bubblewrap jail: own namespaces, no network, no
 * capabilities. The kernel filters system calls and enforces limits. The file system contains only the interpreter.
 * Linux only; see `probeJail`.
 *
 * JavaScript runs one program per jail. Python forks one process per program, and its jail serves one tenant. Raises
 * `SANDBOX_UNAVAILABLE` if neither language has its interpreter, and `BUSY` if that cannot be found out at present.
 */
export async function jailSandbox({ packages, ...pool }: JailSandboxOptions = {}): Promise<Sandbox> {
  const found = new Map<Guest, JailGuest>();
  const missing: string[] = [];
  for (const language of LANGUAGES) {
    const finding = language === 'python' && packages !== undefined ? pythonGuest(packages) : guestFor(language);
    await finding.then(
      (guest) => found.set(language, guest),
      (error: unknown) => {
        if (isBusy(error)) throw error;
        missing.push(messageOf(error));
      },
    );
  }
  if (found.size === 0)
    throw new SandboxError('SANDBOX_UNAVAILABLE', `The sandbox "jail" is not available: ${missing.join('; ')}.`);
  const slots = createCgroupSlots();
  return createPooledSandbox({
    name: 'jail',
    isolation:
      'own user, process, network, mount, IPC and host name namespaces without capabilities, a system call filter, a read-only file system with nothing but the interpreter, limits by the kernel',
    languages: [...found.keys()],
    pool,
    maxProcesses: 16,
    // Each one has the packages in its memory.
    warm: packages === undefined ? 5 : 2,
    reusable: ({ guest }) => guest === 'python',
    start({ guest, memoryBytes }) {
      const jailed = found.get(guest);
      if (!jailed) throw new SandboxError('SANDBOX_UNAVAILABLE', `The jail cannot run ${guest} on this machine.`);
      return { ...slots.launch(jailed, memoryBytes), startMs: START_MS };
    },
    graceMs: ({ guest }) => WATCHDOG_GRACE_MS[guest],
    isOutOfMemory: ({ code, outOfMemory }: ProcessEnd) => outOfMemory === true || ABORTED_EXIT_CODES.has(code),
    onDispose: slots.close,
  });
}

/**
 * Starts a jail and returns whether it works for a language. A positive answer is cached for the process. Raises `BUSY` if the
 * machine is short of descriptors, processes, memory or time: that is no answer.
 */
export function probeJail(guest: Guest = 'javascript'): Promise<SandboxProbe> {
  const known = probes.get(guest);
  if (known) return known;
  const probing = probe(guest);
  probes.set(guest, probing);
  probing.then(
    ({ available }) => available || probes.delete(guest),
    () => probes.delete(guest),
  );
  return probing;
}

async function probe(language: Guest): Promise<SandboxProbe> {
  if (process.platform !== 'linux') {
    return { available: false, reason: `jail needs Linux, this is ${process.platform}`, fix: 'use another sandbox' };
  }
  try {
    findTools();
    const tried = await tryJail(await guestFor(language));
    if (!tried.available) return tried;
    const memory = hasCgroups() ? 'a control group' : 'limits per process (this user cannot create control groups)';
    const interpreter = language === 'python' ? 'CPython' : 'Node';
    return { available: true, reason: `${interpreter} in bubblewrap, memory limited by ${memory}` };
  } catch (error) {
    if (isBusy(error)) throw error;
    const fix = error instanceof SandboxError ? error.details.fix : undefined;
    return {
      available: false,
      reason: messageOf(error),
      fix: typeof fix === 'string' ? fix : 'correct this, or use another sandbox',
    };
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SandboxError && error.code === 'BUSY';
}

function guestFor(language: Guest): Promise<JailGuest> {
  const known = guests.get(language);
  if (known) return known;
  const finding = language === 'python' ? pythonGuest() : javascriptGuest();
  guests.set(language, finding);
  finding.catch(() => guests.delete(language));
  return finding;
}
