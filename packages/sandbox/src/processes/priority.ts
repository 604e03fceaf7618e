import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The niceness of guests that leave the processors to others: the kernel gives them about a tenth of the usual share. */
const LOW_PRIORITY = 10;
const USUAL_PRIORITY = 0;

/** Returns the processes that a process has started. */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/**
 * Lowers or restores the priority of a process and of its descendants. Returns false if the system does not
 * allow it: only an administrator may restore a priority.
 */
export function setLowPriority(pid: number, isLow: boolean): boolean {
  try {
    setPriority(pid, isLow ? LOW_PRIORITY : USUAL_PRIORITY);
  } catch {
    return false;
  }
  return childrenOf(pid).every((child) => setLowPriority(child, isLow));
}
