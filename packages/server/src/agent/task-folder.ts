import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core';
import { quarantine } from '@toolwright/core/internal';
import { readIndex } from './index-file.ts';
import { currentStatus, isOpen, stateOf, type TaskState } from './state.ts';
import { readTranscript } from './transcript.ts';

/** The tasks of a data folder on disk. */
export interface TaskFolder {
  readonly root: string;
  /** Returns the path of a transcript. The id must come from this package or from `find`. */
  path(id: string): string;
  /** Returns a task of a user with its current status. Raises `UNKNOWN_TASK`, also for another user's task. */
  find(id: string, user: string): Promise<TaskState>;
  /** Returns the tasks of one session of a user, oldest first. */
  ofSession(session: string, user: string): Promise<TaskState[]>;
}

const TASK_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Opens `<dataDir>/tasks`. A corrupt transcript is quarantined, and its task becomes unknown. `isThisInstance` checks
 * the owner of a run. The instance reads a task from disk only if it does not run it. An open run of the
 * same instance is therefore interrupted.
 */
export function openTaskFolder(dataDir: string, isThisInstance: (instance: string) => boolean): TaskFolder {
  const root = join(dataDir, 'tasks');
  const path = (id: string) => join(root, `${id}.jsonl`);
  const read = async (id: string): Promise<TaskState | undefined> => {
    const content = await readTranscript(path(id), id);
    if (content?.corrupt !== undefined) {
      quarantine(path(id), 'task transcript', content.corrupt);
      return undefined;
    }
    const state = content && stateOf(content.entries);
    if (content === undefined || state === undefined) return undefined;
    const isAbandoned = state.host !== undefined && isThisInstance(state.host.instance);
    state.status = isOpen(state.status) && isAbandoned ? 'interrupted' : currentStatus(state, content.changedMs);
    return state;
  };
  return {
    root,
    path,
    async find(id, user) {
      const state = typeof id === 'string' && TASK_ID.test(id) ? await read(id) : undefined;
      if (state?.record.userId === user) return state;
      const message = `There is no task ${JSON.stringify(String(id).slice(0, 64))}. List your tasks, or start one.`;
      throw new ToolwrightError('UNKNOWN_TASK', message);
    },
    async ofSession(session, user) {
      const found: TaskState[] = [];
      for (const entry of await readIndex(root, user)) {
        const state = entry.sessionId === session ? await read(entry.id) : undefined;
        if (state?.record.userId === user && state.record.sessionId === session) found.push(state);
      }
      return found;
    },
  };
}
