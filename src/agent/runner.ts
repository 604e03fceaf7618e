import { statSync } from 'node:fs';
import { ToolwrightError } from '../errors.ts';
import { fairQueue } from '../sandboxes/queue.ts';
import type { EndReason, LiveTask } from './live-task.ts';
import { endFromOutside } from './run-task.ts';
import type { Task } from './task.ts';

export interface RunnerOptions {
  /** Tasks that run at once. */
  readonly concurrent: number;
  /** Tasks that wait. */
  readonly queued: number;
  /** Runs one; never rejects. */
  readonly run: (live: LiveTask) => Promise<void>;
}

/** Runs tasks, a few at once; users wait in turns. */
export interface Runner {
  /** The task, as long as it waits or runs here. */
  live(id: string): LiveTask | undefined;
  /** Keeps a place for what `make` hands to `push`. Raises `BUSY` when there is none, `CLOSED` after `close`. */
  reserve(make: (push: (live: LiveTask) => void) => Promise<Task>): Promise<Task>;
  stop(live: LiveTask, reason: EndReason): void;
  /** Interrupts all; resolves when none is left. */
  close(): Promise<void>;
}

/** Makes a runner. */
export function openRunner({ concurrent, queued, run }: RunnerOptions): Runner {
  const tasks = new Map<string, LiveTask>();
  const waiting = fairQueue<LiveTask>();
  let running = 0;
  const reserved = new Set<Promise<Task>>();
  let isClosed = false;

  const forget = (live: LiveTask) => {
    live.close();
    tasks.delete(live.state.record.id);
  };
  const next = () => {
    while (running < concurrent) {
      const live = waiting.shift();
      if (live === undefined) return;
      running++;
      // Another process may have taken it for dead while it waited.
      const begin = isUntouched(live) ? run(live) : Promise.resolve();
      void begin.finally(() => {
        running--;
        forget(live);
        next();
      });
    }
  };
  const stop = (live: LiveTask, reason: EndReason) => {
    live.stop(reason);
    if (!waiting.remove(live.state.record.user, live)) return;
    endFromOutside(live, reason);
    forget(live);
  };
  return {
    live: (id) => tasks.get(id),
    async reserve(make) {
      if (isClosed) throw new ToolwrightError('CLOSED', 'The tasks are closed. Make new ones.');
      if (running + waiting.length + reserved.size >= concurrent + queued) {
        const message = `${running} tasks are running and ${waiting.length} wait, which is all there is room for. Try again later.`;
        throw new ToolwrightError('BUSY', message);
      }
      const making = make((live) => {
        tasks.set(live.state.record.id, live);
        waiting.push(live.state.record.user, live);
        if (isClosed) stop(live, 'interrupted');
        else next();
      });
      reserved.add(making);
      try {
        return await making;
      } finally {
        reserved.delete(making);
      }
    },
    stop,
    async close() {
      isClosed = true;
      await Promise.allSettled(reserved);
      const all = [...tasks.values()];
      for (const live of all) stop(live, 'interrupted');
      await Promise.all(all.map(({ closed }) => closed));
    },
  };
}

function isUntouched(live: LiveTask): boolean {
  try {
    return statSync(live.path).size === live.size();
  } catch {
    return false;
  }
}
