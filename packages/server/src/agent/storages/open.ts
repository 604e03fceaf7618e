import type { Logger } from '@toolwright/core';
import {
  type Bus,
  clusterUrl,
  type Database,
  dataFolder,
  LEASE_TTL_MS,
  memoryBus,
  openPostgres,
  openSqlite,
} from '@toolwright/storage/internal';
import { importOldFiles } from './old-files.ts';
import { taskRows } from './rows.ts';
import type { TaskStorage } from './storage.ts';

export interface TaskStorageOptions {
  readonly dataDir: string;
  /** The setting `store`. A `postgres://` URL selects PostgreSQL, and any other value the tables of the data folder. */
  readonly store: string | undefined;
  /** The bus of the cluster. Default: one for this process alone. */
  readonly bus: Bus | undefined;
  readonly logger: Logger;
}

const TEXT_GATHER_MS = 100;

/** Opens the tasks of a data folder or of a database. */
export async function openTaskStorage(options: TaskStorageOptions): Promise<TaskStorage> {
  const { dataDir, store, bus = memoryBus(), logger } = options;
  const cluster = clusterUrl(store);
  if (cluster !== undefined)
    return taskRows({ database: openPostgres({ url: cluster }), bus, logger, textGatherMs: TEXT_GATHER_MS });
  return taskRows({ database: await openFolder(dataDir, logger), bus, logger, ttlMs: LEASE_TTL_MS });
}

/** Opens the tables of a data folder. Moves the files of a former version to them first. */
export async function openFolder(dataDir: string, logger: Logger): Promise<Database> {
  const database = openSqlite(dataFolder(dataDir).state);
  await importOldFiles(dataDir, database, logger);
  return database;
}
