import type { Store } from '@toolwright/storage';
import { clusterUrl, openBlobs, openPostgres } from '@toolwright/storage/internal';
import type { Logger } from '../telemetry/log.ts';
import { openVersionedFolders } from '../workspaces/versioned/folders.ts';
import { sessionRows } from './records/rows.ts';
import type { SharedSessions } from './sessions.ts';

export interface SharedSessionsOptions {
  readonly store: string | Store;
  /** The place of files: `s3://` or `postgres://`. Default: the database of the store. */
  readonly blobs?: string | undefined;
  readonly dataDir: string;
  readonly logger: Logger;
}

/**
 * Opens the sessions, workspaces and skills that the machines of a cluster share. Returns undefined unless the store is a `postgres://`
 * URL: one machine has them in its data folder. Raises `CONFIG_INVALID` for a wrong place of files.
 */
export function openSharedSessions(options: SharedSessionsOptions): (SharedSessions & AsyncDisposable) | undefined {
  const { dataDir, logger } = options;
  const store = clusterUrl(options.store);
  if (store === undefined) return undefined;
  const blobs = openBlobs(options.blobs ?? store, dataDir);
  const database = openPostgres({ url: store });
  const folders = openVersionedFolders({ database, blobs, dataDir, logger });
  return {
    records: sessionRows(database),
    folders,
    async [Symbol.asyncDispose]() {
      await folders[Symbol.asyncDispose]();
      await blobs[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
