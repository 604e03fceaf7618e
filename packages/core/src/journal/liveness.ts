import type { JournalStart } from './entries.ts';
import { isJournalOpen } from './journal.ts';
import { isOwnerAlive, isOwnLease } from './leases/owner.ts';

/**
 * Returns whether an execution without an `end` entry still runs: its owner lives. Otherwise it was interrupted. An execution of a
 * living process can also have ended without the entry, because its disk was full.
 */
export function isRunning(dataDir: string, { id, owner }: Pick<JournalStart, 'id' | 'owner'>): boolean {
  if (owner === undefined || !isOwnerAlive(dataDir, owner)) return false;
  return isJournalOpen(id) || !isOwnLease(dataDir, owner);
}
