import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEntry, type TaskRecord } from '../transcript-entry.ts';

const TRANSCRIPT = /^[\da-f-]{36}\.jsonl$/;
/** Bytes of a transcript's first line that are read. A task has 100,000 characters at most. */
const MAX_START_BYTES = 1024 * 1024;

/** Returns the records of all tasks of a user, oldest first. It reads the start of every transcript of the folder. */
export async function tasksOf(folder: string, user: string): Promise<TaskRecord[]> {
  const found: TaskRecord[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const record = TRANSCRIPT.test(name) ? await readRecord(join(folder, name)).catch(() => undefined) : undefined;
    if (record?.userId === user) found.push(record);
  }
  return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

async function readRecord(path: string): Promise<TaskRecord | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_START_BYTES), 0, MAX_START_BYTES, 0);
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
    const entry = parseEntry(line);
    return entry?.entry === 'task' ? entry : undefined;
  } finally {
    await file.close();
  }
}
