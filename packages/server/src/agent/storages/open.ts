import { join } from 'node:path';
import type { Logger } from '@toolwright/core';
import { type Bus, clusterUrl, memoryBus, openOwner, openPostgres } from '@toolwright/core/internal';
import { fileTasks } from './files.ts';
import { postgresTasks } from './postgres.ts';
import type { TaskStorage } from './storage.ts';

export interface TaskStorageOptions {
  readonly dataDir: string;
  /** The setting `store`. A `postgres://` URL selects PostgreSQL, and any other value the data folder. */
  readonly store: string | undefined;
  /** The bus of the cluster. Default: one for this process alone. */
  readonly bus: Bus | undefined;
  readonly logger: Pick<Logger, 'error'>;
}

/** Opens the tasks of a data folder or of a database. */
export async function openTaskStorage({ dataDir, store, bus, logger }: TaskStorageOptions): Promise<TaskStorage> {
  if (!isShared(store)) return fileTasks({ root: join(dataDir, 'tasks'), owner: openOwner(dataDir) });
  return postgresTasks({ database: openPostgres({ url: store }), bus: bus ?? memoryBus(), logger });
}

/** Returns whether any machine with the same database has the tasks. */
export function isShared(store: string | undefined): store is string {
  return clusterUrl(store) !== undefined;
}
