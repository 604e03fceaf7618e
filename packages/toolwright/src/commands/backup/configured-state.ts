import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '@toolwright/core/command';
import { checkDataFolder, findConfig, loadConfig, parseConfig } from '@toolwright/core/config';
import { countTaskOwners } from '@toolwright/server/internal';
import { countLivingOwners } from '@toolwright/storage/internal';

/** A store by its name, and the data folder of its processes. */
export interface ConfiguredState {
  readonly store: string;
  readonly dataDir: string;
  /** The place of the files of shared sessions. Absent for the database of the store. */
  readonly blobs?: string | undefined;
}

/** The file of the SQLite store in a data folder. */
export const STORE_FILE = 'store.db';

/** Returns the store and the data folder of the configuration. Raises `CONFIG_INVALID` for a folder that cannot be used. */
export async function configuredState(config: string | undefined): Promise<ConfiguredState> {
  const path = findConfig({ path: config });
  const { store, dataDir, blobs } = path === undefined ? parseConfig({}) : await loadConfig({ path });
  await checkDataFolder(dataDir);
  return { store, dataDir, blobs };
}

/** Returns whether a data folder has a SQLite store. Opening it would create an empty one. */
export function hasStoreFile(dataDir: string): boolean {
  return existsSync(join(dataDir, STORE_FILE));
}

/** Raises `UsageError` while processes work in a data folder. */
export async function requireStopped(dataDir: string): Promise<void> {
  // The tasks of a process and its executions have leases of their own.
  const count = Math.max(await countLivingOwners(dataDir), await countTaskOwners(dataDir));
  if (count === 0) return;
  const message = `${count} ${count === 1 ? 'process works' : 'processes work'} in the data folder ${dataDir}. Stop all of them, then run this again.`;
  throw new UsageError(message);
}
