import type { ChildProcess } from 'node:child_process';
import { childrenOf } from '../../processes/priority.ts';

/** The first process inside is killed first, then after this time the whole process group. */
const KILL_AGAIN_MS = 500;

/**
 * Kills the first process of the jail's process namespace. The kernel then kills all others of the namespace, and bubblewrap
 * ends after the last one. Before there is such a process, it kills the whole process group: bubblewrap may start the process
 * at this moment. Alone, it would wait for ever, with the channel open.
 */
export function killJail(child: ChildProcess | undefined): void {
  const pid = child?.pid;
  if (pid === undefined || child?.exitCode !== null || child.signalCode !== null) return;
  const inner = childrenOf(pid);
  if (inner.length === 0) kill(-pid);
  for (const process_ of inner) kill(process_);
  const again = setTimeout(() => kill(-pid), KILL_AGAIN_MS).unref();
  child.once('exit', () => clearTimeout(again));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
