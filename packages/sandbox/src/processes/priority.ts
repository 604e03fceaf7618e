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
