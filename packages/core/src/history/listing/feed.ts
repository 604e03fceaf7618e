import { checkedName } from '../../owner-name.ts';
import { type CallRelay, collectCalls } from './call-relay.ts';
import type { ExecutionIndex } from './execution-index.ts';
import { listedOf } from './find.ts';
import type { ExecutionBatch, FollowOptions } from './listed-execution.ts';
import type { LiveIndex } from './live-index.ts';

export interface FeedOptions {
  readonly live: LiveIndex;
  readonly calls: CallRelay;
}

/** The changes of executions, for any number of followers. */
export interface Feed {
  /** `isComplete`: a follower that is far behind gets all changes in several batches. */
  follow(options: FollowOptions & { readonly isComplete?: boolean }): AsyncGenerator<ExecutionBatch, void>;
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
/** Milliseconds between two batches. Each costs some 20 µs per follower. */
const LOOK_MS = 100;

/** Creates the feed of an index. It reads each change once, however many follow. */
export function createFeed({ live, calls }: FeedOptions): Feed {
  const moments = createMoments(calls);
  const { alarm } = moments;
  let followers = 0;
  let opening: Promise<void> | undefined;
  const close = () => {
    opening = undefined;
    moments.close();
  };
  return {
    async *follow({ userId, all = false, after, signal, isComplete = false }) {
      const user = all ? undefined : checkedName('userId', userId);
      const { index } = await live.use();
      if (signal.aborted) return;
      signal.addEventListener('abort', alarm.ring);
      followers++;
      try {
        opening ??= moments.open(index);
        await opening;
        const position = after ?? moments.number();
        if (after === undefined) yield await openExecutions(index, position, user);
        yield* batchesAfter(position, { index, moments, user, signal, isComplete });
      } finally {
        signal.removeEventListener('abort', alarm.ring);
        if (--followers === 0) close();
      }
    },
    written: moments.written,
    close,
  };
}

interface Following {
  readonly index: ExecutionIndex;
  readonly moments: ReturnType<typeof createMoments>;
  readonly user: string | undefined;
  readonly signal: AbortSignal;
  readonly isComplete: boolean;
}

/** Yields the batches after a position. */
async function* batchesAfter(from: number, { index, moments, user, signal, isComplete }: Following) {
  const { alarm, number } = moments;
  let position = from;
  while (!signal.aborted) {
    const rings = alarm.rings();
    // A position after the last change is of another index, which was lost. This feed may be behind that of another process.
    if (position > number() && position > (await index.lastChange())) position = -1;
    if (position === number()) {
      await alarm.next(rings);
      if (signal.aborted) return;
    }
    const shared = moments.after(position);
    const moment = isComplete && shared?.all.isReset ? undefined : shared;
    const batch = moment ? momentFor(moment, user) : onlyOf(await batchAfter(index, position, isComplete), user);
    const isBehind = batch.number === position && position !== number();
    position = batch.number;
    if (batch.executions.length > 0 || batch.calls.length > 0 || batch.isReset) yield batch;
    else if (isBehind) await alarm.next(rings);
  }
}

/** Creates the moments that the followers of one index share. */
function createMoments(relay: CallRelay) {
  const alarm = createAlarm();
  const calls = collectCalls();
  let index: ExecutionIndex | undefined;
  let moment: Moment | undefined;
  let number = 0;
  let hasChanges = false;
  let isLooking = false;
  let ends: (() => void)[] = [];

  const look = async () => {
    const opened = index;
    if (!opened) return;
    hasChanges = false;
    const batch = await batchAfter(opened, number);
    if (opened !== index) return;
    const made = { ...batch, calls: calls.take() };
    if (made.executions.length === 0 && made.calls.length === 0 && !made.isReset) return;
    moment = { after: number, number: made.number, all: made, byUser: new Map() };
    number = made.number;
    alarm.ring();
  };
  const lookForChanges = () => {
    if (isLooking || !(hasChanges || calls.size() > 0)) return;
    isLooking = true;
    void look()
      // The next look reads the same changes.
      .catch(() => {
        hasChanges = true;
      })
      .finally(() => {
        isLooking = false;
      });
  };
  const close = () => {
    for (const end of ends) end();
    ends = [];
    index = undefined;
    calls.take();
  };
  return {
    alarm,
    number: () => number,
    after: (position: number) => (moment?.after === position ? moment : undefined),
    async open(opened: ExecutionIndex) {
      const last = await opened.lastChange();
      close();
      index = opened;
      number = last;
      moment = undefined;
      const timer = setInterval(lookForChanges, LOOK_MS).unref();
      const foreign = opened.onForeignChange(() => {
        hasChanges = true;
        lookForChanges();
      });
      ends = [() => clearInterval(timer), foreign, relay.subscribe(calls.add)];
    },
    written() {
      hasChanges = true;
    },
    close,
  };
}

/** Lets followers wait for the next moment. */
function createAlarm() {
  const sleepers = new Set<() => void>();
  let count = 0;
  return {
    rings: () => count,
    /** Resolves at the next ring after some rings. */
    next: (rings: number) =>
      rings === count ? new Promise<void>((resolve) => sleepers.add(resolve)) : Promise.resolve(),
    ring() {
      count++;
      const woken = [...sleepers];
      sleepers.clear();
      for (const wake of woken) wake();
    },
  };
}

async function batchAfter(index: ExecutionIndex, after: number, isComplete = false): Promise<ExecutionBatch> {
  const rows = after < 0 ? [] : await index.changedAfter(after, isComplete ? MAX_BATCH : MAX_BATCH + 1);
  if (after < 0 || rows.length > MAX_BATCH) {
    return { number: await index.lastChange(), executions: [], calls: [], isReset: true };
  }
  return { number: rows.at(-1)?.change ?? after, executions: rows.map(listedOf), calls: [] };
}

/** Returns the executions that have not ended. */
async function openExecutions(
  index: ExecutionIndex,
  number: number,
  user: string | undefined,
): Promise<ExecutionBatch> {
  const rows = await index.page({ userId: user, statuses: ['open', 'suspended'] }, MAX_BATCH);
  const living = rows.filter(({ status, isRunning }) => status !== undefined || isRunning);
  return { number, executions: living.map(listedOf), calls: [] };
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
