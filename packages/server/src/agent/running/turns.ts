import { randomBytes, randomUUID } from 'node:crypto';
import { memorySqlite } from '@toolwright/storage/internal';
import type { ClaimedWork, WorkQueue } from '../../queue/queue.ts';
import { rowQueue } from '../../queue/rows.ts';
import type { TaskRecord } from '../transcript-entry.ts';

/** The order of the tasks of a process: that of the queue of a cluster, with its statements on tables in memory. */
export interface Turns extends AsyncDisposable {
  add(task: TaskRecord): Promise<void>;
  /** Takes tasks until `most` are taken. Returns the ids of the new ones. */
  take(most: number): Promise<readonly string[]>;
  /** Ends a task that waits or was taken. */
  end(task: TaskRecord): Promise<void>;
}

const KEY_BYTES = 32;
/** Nobody else can have the work of this process. */
const ENDLESS_MS = Number.MAX_SAFE_INTEGER;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Creates an order without tasks. Its tables are opened with the first one. */
export function createTurns(): Turns {
  const worker = randomUUID();
  const taken = new Map<string, ClaimedWork>();
  let queue: WorkQueue | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  /** Runs one step after the other. */
  const step = <R>(work: (queue: WorkQueue) => Promise<R>): Promise<R> => {
    queue ??= rowQueue({ database: memorySqlite(), key: randomBytes(KEY_BYTES), leaseMs: ENDLESS_MS });
    const own = queue;
    const done = last.then(() => work(own));
    last = done.catch(() => undefined);
    return done;
  };
  return {
    add: ({ id, userId: user, sessionId: session }) =>
      step(async ({ submit }) => void (await submit({ id, kind: 'task', user, session, request: null }))),
    take: (most) =>
      step(async ({ claim }) => {
        if (isClosed) return [];
        const claimed = await claim({ worker, kinds: ['task'], most: most - taken.size, perUser: NO_LIMIT });
        for (const work of claimed) taken.set(work.id, work);
        return claimed.map(({ id }) => id);
      }),
    end: ({ id, userId }) =>
      step(async ({ finish, cancel, remove }) => {
        const work = taken.get(id);
        taken.delete(id);
        await (work ? finish(work, null) : cancel(id, userId));
        await remove(id, userId);
      }),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await last;
      await queue?.[Symbol.asyncDispose]();
    },
  };
}
