import { isRunning } from '../../journal/liveness.ts';
import { checkedName } from '../../sessions/lookup.ts';
import type { ExecutionIndex } from './execution-index.ts';
import { listedOf } from './find.ts';
import type { CallEvent, CallEvents, ExecutionBatch, FollowOptions } from './listed-execution.ts';
import type { LiveIndex } from './live-index.ts';

export interface FeedOptions {
  readonly dataDir: string;
  readonly live: Pick<LiveIndex, 'use'>;
}

/** The changes of executions, for any number of followers. */
export interface Feed {
  readonly hasFollowers: boolean;
  follow(options: FollowOptions): AsyncGenerator<ExecutionBatch, void>;
  call(executionId: string, userId: string, event: CallEvent): void;
  /** Rows were written: they are in the next batch. */
  written(): void;
  close(): void;
}

/** The changes of one moment. All followers with the same rights share one batch. */
interface Moment {
  /** Number of the moment before. */
  readonly after: number;
  readonly number: number;
  readonly all: ExecutionBatch;
  readonly byUser: Map<string, ExecutionBatch>;
}

/** The most executions of one batch. A follower that is further behind lists them again. */
const MAX_BATCH = 500;
const MAX_CALLS = { ofExecution: 100, executions: 500 };
/** Milliseconds between two batches. Each costs some 20 µs per follower. */
const LOOK_MS = 100;

/** Creates the feed of an index. It reads each change once, however many follow. */
export function createFeed({ dataDir, live }: FeedOptions): Feed {
  const { nextMoment, wakeAll } = createAlarm();
  const calls = collectCalls();
  let followers = 0;
  let index: ExecutionIndex | undefined;
  let moment: Moment | undefined;
  let number = 0;
  let hasChanges = false;
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    if (!index) return;
    hasChanges = false;
    const batch = batchAfter(index, number, dataDir);
    const made = { ...batch, calls: calls.take() };
    if (made.executions.length === 0 && made.calls.length === 0 && !made.isReset) return;
    moment = { after: number, number: made.number, all: made, byUser: new Map() };
    number = made.number;
    wakeAll();
  };
  const lookForChanges = () => {
    if (hasChanges || calls.size() > 0 || index?.hasForeignChanges()) look();
  };
  const start = (opened: ExecutionIndex) => {
    if (followers++ > 0) return;
    index = opened;
    number = opened.lastChange();
    moment = undefined;
    timer = setInterval(lookForChanges, LOOK_MS).unref();
  };
  const stop = () => {
    if (--followers > 0) return;
    clearInterval(timer);
    calls.take();
  };

  return {
    get hasFollowers() {
      return followers > 0;
    },
    async *follow({ userId, all = false, after, signal }) {
      const user = all ? undefined : checkedName('userId', userId);
      const { index: opened } = await live.use();
      if (signal.aborted) return;
      start(opened);
      let position = after ?? number;
      signal.addEventListener('abort', wakeAll);
      try {
        if (after === undefined) yield openExecutions(opened, position, { user, dataDir });
        while (!signal.aborted) {
          // A position after the last change is of another index, which was lost.
          if (position > number) position = -1;
          if (position === number) {
            await nextMoment();
            if (signal.aborted) return;
          }
          const shared = moment && moment.after === position ? momentFor(moment, user) : undefined;
          const batch = shared ?? onlyOf(batchAfter(opened, position, dataDir), user);
          position = batch.number;
          if (batch.executions.length > 0 || batch.calls.length > 0 || batch.isReset) yield batch;
        }
      } finally {
        signal.removeEventListener('abort', wakeAll);
        stop();
      }
    },
    call: calls.add,
    written() {
      hasChanges = true;
    },
    close: () => clearInterval(timer),
  };
}

/** Lets followers wait for the next moment. */
function createAlarm() {
  const sleepers = new Set<() => void>();
  return {
    nextMoment: () => new Promise<void>((resolve) => sleepers.add(resolve)),
    wakeAll() {
      const woken = [...sleepers];
      sleepers.clear();
      for (const wake of woken) wake();
    },
  };
}

/** Collects calls for the next batch, as many as it may have. */
function collectCalls() {
  let calls = new Map<string, { userId: string; calls: CallEvent[]; omitted: number }>();
  return {
    size: () => calls.size,
    add(executionId: string, userId: string, event: CallEvent): void {
      const found = calls.get(executionId);
      if (!found && calls.size >= MAX_CALLS.executions) return;
      const own = found ?? { userId, calls: [], omitted: 0 };
      if (own.calls.length < MAX_CALLS.ofExecution) own.calls.push(event);
      else own.omitted++;
      calls.set(executionId, own);
    },
    take(): CallEvents[] {
      const taken = [...calls].map(([executionId, { omitted, ...rest }]) => ({
        ...{ executionId, ...rest },
        ...(omitted > 0 ? { omitted } : {}),
      }));
      calls = new Map();
      return taken;
    },
  };
}

function batchAfter(index: ExecutionIndex, after: number, dataDir: string): ExecutionBatch {
  const rows = after < 0 ? [] : index.changedAfter(after, MAX_BATCH + 1);
  if (after < 0 || rows.length > MAX_BATCH) {
    return { number: index.lastChange(), executions: [], calls: [], isReset: true };
  }
  return { number: rows.at(-1)?.change ?? after, executions: rows.map((row) => listedOf(row, dataDir)), calls: [] };
}

/** Returns the executions that have not ended. */
function openExecutions(
  index: ExecutionIndex,
  number: number,
  { user, dataDir }: { readonly user: string | undefined; readonly dataDir: string },
): ExecutionBatch {
  const rows = index.page({ userId: user, statuses: ['open', 'suspended'] }, MAX_BATCH);
  const living = rows.filter(({ status, ...row }) => status !== undefined || isRunning(dataDir, row));
  return { number, executions: living.map((row) => listedOf(row, dataDir)), calls: [] };
}

function momentFor({ all, byUser }: Moment, user: string | undefined): ExecutionBatch {
  if (user === undefined) return all;
  const known = byUser.get(user) ?? onlyOf(all, user);
  byUser.set(user, known);
  return known;
}

function onlyOf(batch: ExecutionBatch, user: string | undefined): ExecutionBatch {
  if (user === undefined) return batch;
  const own = ({ userId }: { readonly userId: string }) => userId === user;
  return { ...batch, executions: batch.executions.filter(own), calls: batch.calls.filter(own) };
}
