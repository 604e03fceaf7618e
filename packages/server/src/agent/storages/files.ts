import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Owner, quarantine } from '@toolwright/core/internal';
import type { TaskRecord, TranscriptEntry } from '../transcript-entry.ts';
import { addToIndex, readIndex } from './file-index.ts';
import { type FileLease, openFileLeases } from './file-leases.ts';
import { fileTranscriptReader, type OpenFile, POLL_MS } from './file-reader.ts';
import { purgeTasks } from './file-retention.ts';
import { continueTranscript, createTranscript, readTranscript, type TranscriptWriter } from './file-transcript.ts';
import { fileWriter } from './file-writer.ts';
import { createWatch, type OwnTranscript, type TaskStorage, taskExists } from './storage.ts';

export interface FileTasksOptions {
  /** The folder of the transcripts. */
  readonly root: string;
  /** This process. It is disposed with the storage. */
  readonly owner: Owner;
}

/**
 * Opens the tasks of a data folder, which processes of one machine share. It has a transcript `<id>.jsonl` for each task, claims in
 * `leases`, and a list for each user. A corrupt transcript is quarantined, and its task becomes unknown.
 */
export function fileTasks({ root, owner }: FileTasksOptions): TaskStorage {
  const leases = openFileLeases(root, owner);
  const open = new Map<string, OwnTranscript & OpenFile>();
  const path = (id: string) => join(root, `${id}.jsonl`);
  const read = async (id: string): Promise<readonly TranscriptEntry[] | undefined> => {
    const content = await readTranscript(path(id), id);
    if (content?.corrupt === undefined) return content?.entries;
    quarantine(path(id), 'task transcript', content.corrupt);
    return undefined;
  };
  const own = (id: string, lease: FileLease, entries: readonly TranscriptEntry[], begin: () => TranscriptWriter) => {
    try {
      const onRelease = () => open.delete(id);
      const transcript = fileWriter({ id, path: path(id), writer: begin(), lease, entries, onRelease });
      open.set(id, transcript);
      return transcript;
    } catch (error) {
      lease.release();
      throw error;
    }
  };
  const acquireLease = async (id: string): Promise<FileLease | undefined> => {
    const claim = leases.find(id);
    if (claim) return leases.takeOver(claim);
    const entries = await read(id);
    return entries && leases.create(id, lastRun(entries) + 1);
  };
  const waiting = async () => leases.orphans().map(({ work }) => work);
  return {
    name: 'files',
    textGatherMs: 0,
    read,
    waiting,
    async create(record: TaskRecord, beforeCreate) {
      // The index comes first: readers skip an id without a transcript, but never find a transcript without an id.
      await addToIndex(root, record.userId, record);
      beforeCreate?.();
      const lease = leases.create(record.id, 1);
      if (!lease) throw taskExists();
      const first: TranscriptEntry = { entry: 'task', ...record };
      return own(record.id, lease, [first], () => createTranscript(path(record.id), record));
    },
    async acquire(id) {
      const lease = await acquireLease(id);
      if (!lease) return undefined;
      const entries = await read(id).catch(() => undefined);
      if (entries) return own(id, lease, entries, () => continueTranscript(path(id), lease));
      lease.release();
      return undefined;
    },
    follow: (id) => fileTranscriptReader(path(id), () => open.get(id)),
    async lease(id) {
      const claim = leases.find(id);
      return claim && { isAlive: leases.isAlive(claim), expiresMs: leases.expiryOf(claim) };
    },
    released: (_id, signal) => sleep(POLL_MS, undefined, { signal }),
    async *list(user, { sessionId, before } = {}) {
      const entries = [...(await readIndex(root, user))].reverse();
      const from = before === undefined ? 0 : entries.findIndex(({ id }) => id === before) + 1;
      for (const entry of entries.slice(from)) {
        if (sessionId === undefined || entry.sessionId === sessionId) yield entry.id;
      }
    },
    watch: (onWaiting) => owner.onBeat(createWatch(waiting, onWaiting)),
    purge: (retentionDays, signal) => purgeTasks({ root, retentionDays, signal }),
    async [Symbol.asyncDispose]() {
      for (const transcript of [...open.values()]) await transcript.release();
      owner[Symbol.dispose]();
    },
  };
}

function lastRun(entries: readonly TranscriptEntry[]): number {
  const last = entries.findLast(({ entry }) => entry === 'run');
  return last?.entry === 'run' ? last.number : 0;
}
