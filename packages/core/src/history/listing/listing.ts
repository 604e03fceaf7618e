import { checkOptionNames } from '../../option-names.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { ExecutionStorage } from '../storages/storage.ts';
import { type CallRelay, localCalls } from './call-relay.ts';
import { createFeed, type Feed } from './feed.ts';
import { filterOf, findExecutions, listedOf } from './find.ts';
import {
  type ExecutionChange,
  type ExecutionChangesOptions,
  type ExecutionListing,
  type ListedExecution,
  summaryOf,
} from './listed-execution.ts';
import { createLiveIndex } from './live-index.ts';
import type { ExecutionWatch } from './watch.ts';

/** The index of the executions of a storage, and the feed of their changes. */
export interface Listing extends ExecutionListing {
  readonly watch: ExecutionWatch;
  close(): Promise<void>;
}

const SCAN_ROWS = 1_000;
/** The executions whose last status is known, so that it is not reported twice. */
const MAX_KNOWN = 1_000;

export interface ListingOptions {
  readonly storage: ExecutionStorage;
  /** Carries the calls of executions to other processes. Default: to none. */
  readonly calls?: CallRelay | undefined;
  readonly logger: Logger;
}

/** Opens the index of a storage. */
export function openListing({ storage, logger, calls = localCalls() }: ListingOptions): Listing {
  const { isShared, openIndex: open } = storage;
  const live = createLiveIndex({ open, isShared, logger, onWrite: () => feed.written() });
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
    changes(options) {
      checkOptionNames('executions.changes', options);
      return changesOf(feed, options);
    },
    async close() {
      feed.close();
      await live.close();
    },
  };
}

async function* changesOf(feed: Feed, options: ExecutionChangesOptions): AsyncGenerator<ExecutionChange, void> {
  const { userId, signal } = options;
  const isNew = newStatuses();
  let { after } = options;
  for await (const { number, executions, isReset } of feed.follow({ userId, after, signal, isComplete: true })) {
    // The position is of an index that was lost.
    if (isReset) return yield* changesOf(feed, { userId, signal });
    const changed = executions.filter(isNew);
    for (const [index, execution] of changed.entries()) {
      // Only the last one of a batch stands for all of them.
      const position = index === changed.length - 1 ? number : (after ?? 0);
      yield { number: position, execution: summaryOf(execution) };
    }
    after = number;
  }
}

/** Returns a function that returns whether the status of an execution is another one than before. */
function newStatuses(): (execution: ListedExecution) => boolean {
  const known = new Map<string, ListedExecution['status']>();
  return ({ id, status }) => {
    if (known.get(id) === status) return false;
    known.delete(id);
    known.set(id, status);
    const [oldest] = known.size > MAX_KNOWN ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return true;
  };
}
