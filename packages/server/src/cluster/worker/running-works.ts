import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwrightError } from '@toolwright/core';
import { monotonicMs, openRowLeases, type RowLease } from '@toolwright/storage/internal';
import { workClaimed } from '../../diagnostics.ts';
import { type ClaimedWork, WORK_LEASE_MS, WORK_RENEW_MS, type WorkQueue } from '../../queue/queue.ts';
import type { Channel } from '../channel.ts';
import type { WorkResult } from '../requests.ts';
import { runExecution, type WorkEnd } from './run-work.ts';
import type { WorkerOptions } from './worker-options.ts';

interface Running {
  readonly work: ClaimedWork;
  readonly cancel: AbortController;
  /** Another worker may have claimed it. */
  isLost: boolean;
}

export interface RunningWorksOptions
  extends Pick<WorkerOptions, 'toolwright' | 'tasks' | 'queue' | 'dispatcher' | 'logger'> {
  /** The id of the worker. */
  readonly worker: string;
  readonly channel: Channel;
  /** Called when the number of works has changed. */
  readonly onChange: (change: 'begun' | 'ended') => void;
}

/** The works that run in a worker. */
export interface RunningWorks {
  readonly size: number;
  /** Runs claimed work, and stores its end. */
  begin(work: ClaimedWork): void;
  cancel(id: string): void;
  /** Resolves when all works have ended. */
  idle(): Promise<void>;
  /** Ends the renewals of leases. */
  close(): Promise<void>;
}

/** Milliseconds between two attempts to store an end while the storage does not answer. */
const STORE_RETRY_MS = 250;

/** Characters of a result that is sent to its caller. */
const MAX_SENT_CHARACTERS = 65_536;

/** Creates the register of the works of a worker. */
export function createRunningWorks(options: RunningWorksOptions): RunningWorks {
  const { worker, queue, onChange } = options;
  const running = new Map<string, Running>();
  const ends = new Set<Promise<void>>();
  const leases = openRowLeases({
    owner: worker,
    ttlMs: WORK_LEASE_MS,
    everyMs: WORK_RENEW_MS,
    renew: async (owner, ids) =>
      (await queue.renew(owner, ids)).map(({ id, fence, isCancelled }) => ({
        id,
        fence: String(fence),
        isWanted: isCancelled,
      })),
    keep: queue.keep,
  });
  const hold = (own: Running): RowLease =>
    leases.add({
      id: own.work.id,
      fence: String(own.work.fence),
      sinceMs: monotonicMs(),
      onLost() {
        own.isLost = true;
      },
      onRenewed: (isCancelled) => isCancelled && own.cancel.abort(),
    });
  return {
    get size() {
      return running.size;
    },
    begin(work) {
      const { id, kind, waitedMs, lostMs, isCancelled } = work;
      workClaimed.publish({ kind, waitedMs, lostMs });
      const own: Running = { work, cancel: new AbortController(), isLost: false };
      if (isCancelled) own.cancel.abort();
      running.set(id, own);
      const lease = hold(own);
      const end = runOne(own, options).finally(() => {
        lease.end();
        if (running.get(id) === own) running.delete(id);
        ends.delete(end);
        onChange('ended');
      });
      ends.add(end);
      onChange('begun');
    },
    cancel: (id) => running.get(id)?.cancel.abort(),
    async idle() {
      while (ends.size > 0) await Promise.all(ends);
    },
    close: leases.close,
  };
}

async function runOne(own: Running, options: RunningWorksOptions): Promise<void> {
  const { toolwright, tasks, queue, dispatcher, channel, logger } = options;
  const { work } = own;
  const { signal } = own.cancel;
  const replyTo = String(Object(work.request).replyTo);
  const send = (event: Parameters<Channel['send']>[2]) => channel.send(replyTo, work.id, event);
  const ask = () => {
    const report = () => send({ type: 'question' });
    queue.ask(work).then(report, report);
  };
  const end =
    work.kind === 'task' && tasks
      ? await tasks.run(work, { signal })
      : await runExecution(work, { toolwright, signal, send, ask, logger, queue });
  const state = await storeEnd(own, end, queue);
  if (state === 'ended' || state === 'waiting') send({ type: 'result', ...sentResult(end) });
  if (state === 'ready') dispatcher.notify([{ id: work.id }]);
  const delayMs = 'waits' in end ? end.waits.delayMs : 'released' in end ? end.released.delayMs : undefined;
  if (state === 'waiting' && delayMs !== undefined) dispatcher.notify([{ id: work.id, delayMs }]);
}

/** Returns the result of ended work for its caller. A large one is read from the row. */
function sentResult(end: WorkEnd): { readonly ended?: WorkResult } {
  if (!('ended' in end) || JSON.stringify(end.ended).length > MAX_SENT_CHARACTERS) return {};
  return { ended: end.ended };
}

/** Stores the end of a run, also when the storage is away for a while. Returns the new state, if the worker still had the work. */
async function storeEnd(own: Running, end: WorkEnd, queue: WorkQueue): Promise<string | undefined> {
  while (!own.isLost) {
    try {
      return await leave(queue, own.work, end);
    } catch (error) {
      if (error instanceof ToolwrightError && error.code === 'CLOSED') return undefined;
      await sleep(STORE_RETRY_MS);
    }
  }
  return undefined;
}

async function leave(queue: WorkQueue, work: ClaimedWork, end: WorkEnd): Promise<string | undefined> {
  if ('ended' in end) return (await queue.finish(work, end.ended)) ? 'ended' : undefined;
  if ('waits' in end) return queue.suspend(work, end.waits);
  if (!(await queue.release(work, end.released))) return undefined;
  return (end.released.delayMs ?? 0) > 0 ? 'waiting' : 'ready';
}
