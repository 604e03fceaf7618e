import { openStore, type Store } from '@toolwright/storage';
import { auditTable, clusterUrl, openPostgres } from '@toolwright/storage/internal';
import type { Settings } from '../settings.ts';
import { joinCluster } from './cluster-keys.ts';
import type { SharedPrivacy } from './privacy.ts';

/** The store of a Toolwright. */
export interface OwnStore {
  readonly store: Store;
  /** Closes the store. Leaves a store object of the caller open. */
  closeStore(): Promise<void>;
  /** The state of personal data that is not in the store itself: set in a cluster. */
  readonly shared: SharedPrivacy;
}

/**
 * Opens the store of a Toolwright. If it is PostgreSQL, the process joins the cluster of that database: raises `CONFIG_INVALID` for other
 * keys than those of the cluster, and `STORE_UNAVAILABLE`.
 */
export async function openOwnStore({ store, dataDir }: Settings): Promise<OwnStore> {
  if (typeof store !== 'string') return { store, closeStore: async () => undefined, shared: {} };
  const opened = openStore(store, dataDir);
  const closeStore = async () => opened[Symbol.asyncDispose]();
  const url = clusterUrl(store);
  if (url === undefined) return { store: opened, closeStore, shared: {} };
  const database = openPostgres({ url });
  const close = async () => {
    await Promise.all([closeStore(), database[Symbol.asyncDispose]()]);
  };
  try {
    const keys = await joinCluster({ database, dataDir, env: process.env });
    return { store: opened, closeStore: close, shared: { audit: auditTable(database), onRotated: keys.rotated } };
  } catch (error) {
    await close();
    throw error;
  }
}
