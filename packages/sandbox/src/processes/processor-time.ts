import { readFileSync } from 'node:fs';
import { childrenOf } from './priority.ts';

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
