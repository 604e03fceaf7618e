import type { JournalReader } from '../../journal/storages/storage.ts';
import { checkOptionNames } from '../../option-names.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Executions } from '../executions.ts';
import { createFeed } from './feed.ts';
import { filterOf, findExecutions, listedOf } from './find.ts';
import { createLiveIndex } from './live-index.ts';
import type { ExecutionWatch } from './watch.ts';

/** The index of the executions of a data folder, and the feed of their changes. */
export interface Listing extends Pick<Executions, 'find' | 'follow' | 'scan'> {
  readonly watch: ExecutionWatch;
  removed(id: string): void;
  close(): Promise<void>;
}

const SCAN_ROWS = 1_000;

export interface ListingOptions {
  readonly dataDir: string;
  readonly journals: JournalReader;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Opens the index of a data folder. */
export function openListing({ dataDir, journals, logger }: ListingOptions): Listing {
  const live = createLiveIndex({ dataDir, journals, logger, onWrite: () => feed.written() });
  const feed = createFeed({ dataDir, live });
  return {
    watch: {
      changed: live.changed,
      call(id, userId, event) {
        if (feed.hasFollowers) feed.call(id, userId, event);
      },
    },
    async find(query = {}) {
      checkOptionNames('executions.find', query);
      const { index, isIndexing } = await live.use();
      return { ...findExecutions(index, dataDir, query), ...(isIndexing ? { isIndexing } : {}) };
    },
    async *scan(query = {}) {
      checkOptionNames('executions.find', query);
      const { index } = await live.use();
      const filter = filterOf(query);
      for (let { before } = filter; ; ) {
        const rows = index.page({ ...filter, before }, SCAN_ROWS);
        if (rows.length > 0) yield rows.map((row) => listedOf(row, dataDir));
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
