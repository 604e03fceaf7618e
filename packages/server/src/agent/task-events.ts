import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { followEvents } from './follow-events.ts';
import { isOpen } from './state.ts';
import type { TaskEvent } from './task.ts';
import type { TaskFolder } from './task-folder.ts';
import { POLL_MS, type TaskLookup } from './task-lookup.ts';

export interface TaskEventsOptions {
  readonly user: string;
  /** Number of the last event that the reader has; 0 for none. */
  readonly after: number;
  readonly signal: AbortSignal | undefined;
}

/** Yields the events of a task until it ends. Raises `UNKNOWN_TASK` at the first event. */
export async function* taskEvents(
  id: string,
  { folder, lookup }: { readonly folder: TaskFolder; readonly lookup: TaskLookup },
  { user, after, signal }: TaskEventsOptions,
): AsyncGenerator<TaskEvent> {
  await lookup.find(id, user);
  yield* followEvents(folder.path(id), {
    after,
    signal,
    async more(bytes) {
      const { state, live } = await lookup.find(id, user);
      if (live) {
        if (live.size() <= bytes) await live.changed(signal);
        return true;
      }
      // The task may have written its last events after the reader reached the end of the file.
      if ((await stat(folder.path(id))).size > bytes) return true;
      if (isOpen(state.status)) await sleep(POLL_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
      return isOpen(state.status);
    },
  });
}
