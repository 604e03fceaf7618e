import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** The bit of `CAP_SYS_NICE` in the capabilities of a process. */
const SYS_NICE = 1n << 23n;

/** Returns the processes that a process has started. */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Returns whether this process may raise a priority that it has lowered. */
export function mayRaisePriority(): boolean {
  try {
    const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return (BigInt(`0x${capabilities}`) & SYS_NICE) !== 0n;
  } catch {
    // Only Linux has capabilities. Elsewhere, only an administrator may raise a priority.
    return process.getuid?.() === 0;
  }
}

/** Sets the niceness of a process and of its descendants. Returns false if a part of them has another one. */
export function setNiceness(pid: number, niceness: number): boolean {
  const done = [
    setGroupNiceness(pid, niceness),
    ...threadsOf(pid).map((thread) => setThreadNiceness(thread, niceness)),
    ...childrenOf(pid).map((child) => setNiceness(child, niceness)),
  ];
  return done.every(Boolean);
}

/** The kernel compares the niceness of threads only within one session: sessions of processes have their own niceness. */
function setGroupNiceness(pid: number, niceness: number): boolean {
  const file = `/proc/${pid}/autogroup`;
  try {
    if (!readFileSync(file, 'utf8').endsWith(` nice ${niceness}\n`)) writeFileSync(file, String(niceness));
    return true;
  } catch (error) {
    return isMissing(error);
  }
}

function setThreadNiceness(thread: number, niceness: number): boolean {
  try {
    if (getPriority(thread) !== niceness) setPriority(thread, niceness);
    return true;
  } catch (error) {
    return isMissing(error);
  }
}

/** Returns the threads of a process. Where the system does not list them, its niceness is that of the process. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

/** Returns whether a process or thread has ended, or the kernel has no sessions with a niceness. */
function isMissing(error: unknown): boolean {
  const { code, info } = error as NodeJS.ErrnoException & { readonly info?: { readonly code?: string } };
  return ['ENOENT', 'ESRCH'].includes(info?.code ?? code ?? '');
}

/** The kernel counts the time of processes in hundredths of a second on all platforms of Node. */
const TICK_MS = 10;

/** Returns a process and all of its descendants. */
function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/**
 * Returns the milliseconds of processor time that a process and its living descendants have used. Returns `undefined` for a
 * process that has ended, and where the system has no `/proc`.
 */
export function processorMs(pid: number): number | undefined {
  const times = treeOf(pid).map(ownMs);
  const [own] = times;
  return own === undefined ? undefined : times.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
}

/** Its ended children count too, so that a process cannot hide work in short ones. */
function ownMs(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in brackets and may contain spaces. `utime` is field 14.
    const ticks = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number);
    return ticks.reduce((sum, value) => sum + value, 0) * TICK_MS;
  } catch {
    return undefined;
  }
}

/** Stops a process and its descendants, or continues them. They cannot prevent it. */
export function setStopped(pid: number, isStopped: boolean): void {
  for (const each of treeOf(pid)) {
    try {
      process.kill(each, isStopped ? 'SIGSTOP' : 'SIGCONT');
    } catch {
      // The process has ended.
    }
  }
}

/**
 * Returns the resident memory of a process in bytes, with the pages of programs and libraries that it shares with other
 * processes. Returns `undefined` for a process that has ended, and where the system has no `/proc`.
 */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
