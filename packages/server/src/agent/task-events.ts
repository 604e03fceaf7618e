import type { Runner } from './running/runner.ts';
import { isOpen } from './state.ts';
import type { TaskStorage } from './storages/storage.ts';
import type { TaskEvent } from './task.ts';
import type { TaskLookup } from './task-lookup.ts';
import { parseEntry } from './transcript-entry.ts';

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
  { storage, lookup, runner }: { readonly storage: TaskStorage; readonly lookup: TaskLookup; readonly runner: Runner },
  { user, after, signal }: TaskEventsOptions,
): AsyncGenerator<TaskEvent> {
  const isOpenNow = async () => isOpen((await lookup.find(id, user)).state.status);
  let isFollowed = await isOpenNow();
  let last = after;
  /** Whether the task was not open at the last look, after which no line came. */
  let isSettled = false;
  const reader = await storage.follow(id);
  try {
    while (!signal?.aborted) {
      // Looked at before the lines: an interruption of this process is the last of them.
      const isClosing = runner.isClosed && !runner.live(id);
      const lines = await reader.next();
      for (const line of lines) {
        const entry = parseEntry(line);
        if (entry?.entry !== 'event') continue;
        if (signal?.aborted) return;
        const isNew = entry.event.number > last;
        if (isNew) last = entry.event.number;
        if (isNew) yield entry.event;
        if (entry.event.type === 'end') return;
      }
      if (lines.length > 0) isSettled = false;
      else if (isClosing || isSettled) return;
      else {
        isFollowed ||= await isOpenNow();
        if (isFollowed) await reader.changed(signal);
        isSettled = !isFollowed;
      }
    }
  } finally {
    await reader.close();
  }
}
