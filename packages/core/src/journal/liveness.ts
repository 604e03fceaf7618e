import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../stores/data-folder/data-folder.ts';
import { isOwnerAlive, isOwnLease } from '../stores/leases/owner.ts';
import type { JournalStart } from './entries.ts';
import { isJournalOpen } from './journal.ts';

/**
 * Returns whether an execution without an `end` entry still runs: its owner lives. Otherwise it was interrupted. An execution of a
 * living process can also have ended without the entry, because its disk was full.
 */
export function isRunning(dataDir: string, { id, owner: first }: Pick<JournalStart, 'id' | 'owner'>): boolean {
  const owner = continuedBy(dataFolder(dataDir).claims, id) ?? first;
  if (owner === undefined || !isOwnerAlive(dataDir, owner)) return false;
  return isJournalOpen(id) || !isOwnLease(dataDir, owner);
}

/** Returns the id of the lease of the process that continued an execution last; undefined if none did, or it has finished. */
function continuedBy(claims: string, id: string): string | undefined {
  try {
    const numbers = readdirSync(claims).flatMap((name) =>
      name.startsWith(`${id}.`) ? [Number(name.slice(id.length + 1))] : [],
    );
    return numbers.length === 0 ? undefined : readFileSync(join(claims, `${id}.${Math.max(...numbers)}`), 'utf8');
  } catch {
    return undefined;
  }
}
