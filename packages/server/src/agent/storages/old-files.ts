import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularText } from '@toolwright/connectors/read-file';
import type { Logger } from '@toolwright/core';
import { type Database, keepImported, requireNoFormerProcess } from '@toolwright/storage/internal';
import { checkLines } from '../loop/check-lines.ts';
import type { TaskRecord } from '../transcript-entry.ts';
import { isTaskId } from './storage.ts';

const FOLDER = 'tasks';
const LEASES = 'leases';
const TRANSCRIPT = /^(.{36})\.jsonl$/;
/** Larger than any transcript that fits into the context of a model. */
const MAX_TRANSCRIPT_BYTES = 256 * 1024 * 1024;

const ADD = `insert into toolwright.tasks (id, user_id, session_id, waits, changed_at)
  values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000)) on conflict do nothing returning id`;
const ADD_LINES = `insert into toolwright.task_lines (task, number, line)
  select $1, n.position, n.line from unnest($2::text[]) with ordinality as n (line, position)`;

interface OldTask {
  readonly record: TaskRecord;
  readonly lines: readonly string[];
  readonly changedMs: number;
  /** Whether its process has died. */
  readonly waits: boolean;
}

/**
 * Moves the tasks of a former version, whose transcripts were files, to the tables of a data folder, in the order of their creation. The
 * files stay in the folder `tasks.imported-<time>`; renamed to `tasks`, they are those of the former version again. Several processes may
 * do it at once, and one that dies is continued by the next. Damaged transcripts are left out and reported. Raises `CONFIG_INVALID` while
 * a process of the former version works.
 */
export async function importOldFiles(dataDir: string, database: Database, logger: Logger): Promise<void> {
  const root = join(dataDir, FOLDER);
  const names = await readdir(root).catch(() => undefined);
  if (names === undefined) return;
  const leases = await readdir(join(root, LEASES)).catch(() => []);
  requireNoFormerProcess(dataDir);
  const claimed = new Set(leases.map((name) => name.split('.')[0]));
  const tasks: OldTask[] = [];
  for (const [id = ''] of names.map((name) => TRANSCRIPT.exec(name)?.slice(1) ?? []).filter(([id]) => isTaskId(id))) {
    const task = await readOldTask(join(root, `${id}.jsonl`), id);
    if (typeof task !== 'string') tasks.push({ ...task, waits: claimed.has(id) });
    else logger.warn({ taskId: id, problem: task }, 'a damaged task transcript of a former version was left out');
  }
  tasks.sort((one, other) => (one.record.createdAt < other.record.createdAt ? -1 : 1));
  for (const { record, lines, waits, changedMs } of tasks) {
    const task = [record.id, Buffer.from(record.userId), Buffer.from(record.sessionId), waits, changedMs];
    await database.transaction(async (query) => {
      if ((await query(ADD, task)).length > 0) await query(ADD_LINES, [record.id, lines]);
    });
  }
  const target = await keepImported(dataDir, FOLDER);
  if (tasks.length > 0) logger.warn({ tasks: tasks.length, files: target }, 'moved the tasks of a former version');
}

/** Returns a task, or the problem of its transcript. Leaves out an incomplete last line, which a crash can leave. */
async function readOldTask(path: string, id: string): Promise<Omit<OldTask, 'waits'> | string> {
  try {
    const [text, { mtimeMs: changedMs }] = await Promise.all([readRegularText(path, MAX_TRANSCRIPT_BYTES), stat(path)]);
    const lines = text.split('\n').slice(0, -1);
    const { entries, corrupt } = checkLines(lines, id);
    const [record] = entries;
    if (corrupt !== undefined || record?.entry !== 'task') return corrupt ?? 'it has no complete line';
    return { record, lines, changedMs };
  } catch (error) {
    return (error as Error).message;
  }
}
