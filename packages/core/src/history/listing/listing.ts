import { checkOptionNames } from '../../option-names.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { ExecutionStorage } from '../storages/storage.ts';
import { type CallRelay, localCalls } from './call-relay.ts';
import { createFeed } from './feed.ts';
import { filterOf, findExecutions, listedOf } from './find.ts';
import type { ExecutionListing } from './listed-execution.ts';
import { createLiveIndex } from './live-index.ts';
import type { ExecutionWatch } from './watch.ts';

/** The index of the executions of a storage, and the feed of their changes. */
export interface Listing extends ExecutionListing {
  readonly watch: ExecutionWatch;
  removed(id: string): Promise<void>;
  close(): Promise<void>;
}

const SCAN_ROWS = 1_000;

export interface ListingOptions {
  readonly storage: ExecutionStorage;
  /** Carries the calls of executions to other processes. Default: to none. */
  readonly calls?: CallRelay | undefined;
  readonly logger: Logger;
}

/** Opens the index of a storage. */
export function openListing({ storage, logger, calls = localCalls() }: ListingOptions): Listing {
  const { isShared, journals, openIndex: open } = storage;
  const live = createLiveIndex({ open, isShared, journals, logger, onWrite: () => feed.written() });
  const feed = createFeed({ live, calls });
  return {
    watch: {
      changed: live.changed,
      call: calls.add,
    },
    async find(query = {}) {
      checkOptionNames('executions.find', query);
      const { index, isIndexing } = await live.use();
      return { ...(await findExecutions(index, query)), isIndexing: isIndexing || undefined };
    },
    async *scan(query = {}) {
      checkOptionNames('executions.find', query);
      const { index } = await live.use();
      const filter = filterOf(query);
      for (let { before } = filter; ; ) {
        const rows = await index.page({ ...filter, before }, SCAN_ROWS);
        if (rows.length > 0) yield rows.map(listedOf);
        if (rows.length < SCAN_ROWS) return;
        before = rows.at(-1)?.key;
        await new Promise(setImmediate);
      }
    },
    follow(options) {
      checkOptionNames('executions.follow', options);
      return feed.follow(options);
    },
    removed: live.removed,
    async close() {
      feed.close();
      await live.close();
    },
  };
}
