import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { followEvents } from './follow-events.ts';
import type { Runner } from './runner.ts';
import { hasEnded, isOpen } from './state.ts';
import type { TaskEvent } from './task.ts';
import type { TaskFolder } from './task-folder.ts';
import { POLL_MS, type TaskLookup } from './task-lookup.ts';

export interface TaskEventsOptions {
  readonly user: string;
  /** Number of the last event that the reader has; 0 for none. */
  readonly after: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields the events of a task until it ends. A reader that has seen the task run stays for its interruption and its resume.
 * Raises `UNKNOWN_TASK` at the first event.
 */
export async function* taskEvents(
  id: string,
  { folder, lookup, runner }: { readonly folder: TaskFolder; readonly lookup: TaskLookup; readonly runner: Runner },
  { user, after, signal }: TaskEventsOptions,
): AsyncGenerator<TaskEvent> {
  let isFollowed = isOpen((await lookup.find(id, user)).state.status);
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
      isFollowed ||= isOpen(state.status);
      const goesOn = !hasEnded(state.status) && isFollowed && !runner.isClosed;
      if (goesOn) await sleep(POLL_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
      return goesOn;
    },
  });
}
