import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core';
import { quarantine } from '@toolwright/core/internal';
import { readIndex } from './index-file.ts';
import type { TaskLeases } from './lease.ts';
import { isOpen, stateOf, type TaskState } from './state.ts';
import { readTranscript } from './transcript.ts';

/** The tasks of a data folder on disk. */
export interface TaskFolder {
  readonly root: string;
  /** Returns the path of a transcript. The id must come from this package or from `find`. */
  path(id: string): string;
  /** Returns a task of a user with its current status. Raises `UNKNOWN_TASK`, also for another user's task. */
  find(id: string, user: string): Promise<TaskState>;
  /** Returns a task with the status in its transcript, or undefined. */
  read(id: string): Promise<TaskState | undefined>;
  /** Returns the tasks of one session of a user, oldest first. */
  ofSession(session: string, user: string): Promise<TaskState[]>;
}

const TASK_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Opens `<dataDir>/tasks`. A corrupt transcript is quarantined, and its task becomes unknown. An open task without a living
 * owner is interrupted.
 */
export function openTaskFolder(root: string, leases: Pick<TaskLeases, 'find' | 'isAlive'>): TaskFolder {
  const path = (id: string) => join(root, `${id}.jsonl`);
  const hasOwner = (id: string) => {
    const claim = leases.find(id);
    return claim !== undefined && leases.isAlive(claim);
  };
  const read = async (id: string): Promise<TaskState | undefined> => {
    const content = await readTranscript(path(id), id);
    if (content?.corrupt !== undefined) {
      quarantine(path(id), 'task transcript', content.corrupt);
      return undefined;
    }
    return content && stateOf(content.entries);
  };
  const readCurrent = async (id: string): Promise<TaskState | undefined> => {
    const state = await read(id);
    if (!state || !isOpen(state.status) || hasOwner(id)) return state;
    // The owner may have ended the task, and released its lease, after the transcript was read.
    const latest = await read(id);
    if (latest && isOpen(latest.status) && latest.run === state.run) latest.status = 'interrupted';
    return latest;
  };
  return {
    root,
    path,
    read,
    async find(id, user) {
      const state = typeof id === 'string' && TASK_ID.test(id) ? await readCurrent(id) : undefined;
      if (state?.record.userId === user) return state;
      const message = `There is no task ${JSON.stringify(String(id).slice(0, 64))}. List your tasks, or start one.`;
      throw new ToolwrightError('UNKNOWN_TASK', message);
    },
    async ofSession(session, user) {
      const found: TaskState[] = [];
      for (const entry of await readIndex(root, user)) {
        const state = entry.sessionId === session ? await readCurrent(entry.id) : undefined;
        if (state?.record.userId === user && state.record.sessionId === session) found.push(state);
      }
      return found;
    },
  };
}
