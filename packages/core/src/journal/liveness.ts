import { hostname } from 'node:os';
import { isAlive } from '@toolwright/sandbox/internal';
import type { JournalStart } from './entries.ts';
import { isJournalOpen } from './journal.ts';

/** After its time limit and this slack, which covers waiting for a sandbox, an execution of another process counts as dead. */
const SLACK_MS = 10 * 60_000;

/** Returns whether an execution without an `end` entry still runs. `changedMs` is the last change of its journal. */
export function isRunning(start: Pick<JournalStart, 'id' | 'host' | 'timeoutMs'>, changedMs: number): boolean {
  const { id, host, timeoutMs } = start;
  const isHere = host.name === hostname();
  if (isHere && host.pid === process.pid) return isJournalOpen(id);
  if (isHere && !isAlive(host.pid)) return false;
  // Process ids are reused, and of another machine only the time is known.
  return timeoutMs === undefined ? isHere : Date.now() <= changedMs + timeoutMs + SLACK_MS;
}
