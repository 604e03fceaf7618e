import { clusterUrl, openBus, openPostgres } from '@toolwright/storage/internal';
import type { Settings } from '../../settings.ts';
import { busCalls, type CallRelay } from '../listing/call-relay.ts';
import { fileExecutions } from './files.ts';
import { postgresExecutions } from './postgres.ts';
import type { ExecutionStorage } from './storage.ts';

export interface OpenedExecutions {
  readonly storage: ExecutionStorage;
  /** Carries the calls of executions between processes. Absent for the processes of one data folder. */
  readonly calls?: CallRelay;
  /** Closes the storage with its connections. */
  readonly closeStorage: () => Promise<void>;
}

/**
 * Opens the executions of a Toolwright: in the database of a `postgres://` store, and in the data folder for all other stores. Rejects with
 * `STORE_UNAVAILABLE` when a Redis is configured and `ioredis` is not installed.
 */
export async function openExecutionStorage(settings: Settings): Promise<OpenedExecutions> {
  const { store, redis, dataDir, durability, logger } = settings;
  const url = clusterUrl(store);
  if (url === undefined) {
    const storage = fileExecutions({ dataDir, durability });
    return { storage, closeStorage: async () => storage[Symbol.asyncDispose]() };
  }
  const bus = await openBus({ redis, store: url, dataDir, logger });
  const database = openPostgres({ url });
  const storage = postgresExecutions({ database, bus, dataDir });
  return {
    storage,
    calls: busCalls(bus),
    async closeStorage() {
      await storage[Symbol.asyncDispose]();
      await Promise.all([bus[Symbol.asyncDispose](), database[Symbol.asyncDispose]()]);
    },
  };
}
