import { randomUUID } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '@toolwright/core';
import { openPostgres, type Postgres, type Query } from '@toolwright/core/internal';
import { checkLines } from '../check-lines.ts';
import { stateOf } from '../state.ts';
import type { TranscriptEntry } from '../transcript-entry.ts';
import { addToIndex } from './file-index.ts';
import { readTranscript, type TranscriptContent } from './file-transcript.ts';
import { PAGE_LINES, readLines } from './postgres-reader.ts';
import { isTaskId } from './storage.ts';

export interface ImportTasksOptions {
  /** Whether tasks that both have are replaced. Default: false, and a target with tasks is refused. */
  readonly overwrite?: boolean;
  /** Called after each copied task with the number of all so far. */
  readonly onCopied?: ((count: number) => void) | undefined;
}

const FOLDER = 'tasks';
const LEASES = 'leases';
const SUFFIX = '.jsonl';
const LINES_AT_ONCE = 500;
const PAGE_TASKS = 200;

const ANY = 'select from toolwright.tasks limit 1';
const ADD = `insert into toolwright.tasks (id, user_id, session_id, waits, changed_at)
  values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
  on conflict (id) do update set user_id = excluded.user_id, session_id = excluded.session_id, waits = excluded.waits,
    changed_at = excluded.changed_at, fence = tasks.fence + 1, owner = null, expires_at = null, cancel_requested = false
  where tasks.owner is null or tasks.expires_at <= clock_timestamp() returning id`;
const REMOVE_LINES = 'delete from toolwright.task_lines where task = $1';
const ADD_LINES = `insert into toolwright.task_lines (task, number, line)
  select $1, $2::bigint + n.position, n.line from unnest($3::text[]) with ordinality as n (line, position)`;
const LIST = `select id::text, number::text as position, convert_from(user_id, 'UTF8') as user_name, waits or owner is not null as waits,
    convert_from(session_id, 'UTF8') as session, (extract(epoch from changed_at) * 1000)::float8 as changed_ms
  from toolwright.tasks where number > $1 order by number limit ${PAGE_TASKS}`;

/**
 * Copies the tasks of a data folder to a database, with their transcripts and in their order. Nobody may use the folder meanwhile. Tasks
 * whose process has died are continued by a worker of the target. Returns the number of tasks: damaged transcripts are left out. Raises
 * `CONFIG_INVALID` for a target that has tasks, unless `overwrite` is set; `TASK_RUNNING` for one that runs in the target; and
 * `STORE_UNAVAILABLE`.
 */
export async function importTasks(
  dataDir: string,
  { store }: { readonly store: string },
  { overwrite = false, onCopied }: ImportTasksOptions = {},
): Promise<number> {
  await using database = openPostgres({ url: store });
  const root = join(dataDir, FOLDER);
  const orphans = new Set((await namesIn(join(root, LEASES))).map((name) => name.split('.')[0]));
  const found: { id: string; createdAt: string }[] = [];
  for (const id of await idsIn(root)) {
    const record = (await readTranscript(join(root, id + SUFFIX), id))?.entries[0];
    if (record?.entry === 'task') found.push({ id, createdAt: record.createdAt });
  }
  if (found.length > 0 && !overwrite && (await database.read(ANY)).length > 0) throw notEmpty();
  let count = 0;
  // The order of creation is that of the list.
  for (const { id } of found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))) {
    const content = await readTranscript(join(root, id + SUFFIX), id);
    if (content?.corrupt !== undefined || !content) continue;
    await importTask(database, { id, content, isOrphan: orphans.has(id) });
    count++;
    onCopied?.(count);
  }
  return count;
}

/**
 * Copies the tasks of a database into a data folder, with their transcripts. No process may run tasks meanwhile. Tasks that wait for a
 * worker are continued by a process of the folder. Returns their number. Raises `STORE_UNAVAILABLE`.
 */
export async function exportTasks(
  { store }: { readonly store: string },
  dataDir: string,
  onCopied?: (count: number) => void,
): Promise<number> {
  await using database = openPostgres({ url: store });
  const root = join(dataDir, FOLDER);
  let [last, count] = ['0', 0];
  for (;;) {
    const page = await database.read(LIST, [last]);
    for (const { id, user_name, session, waits, changed_ms } of page) {
      const task = { id: String(id), user: String(user_name), sessionId: String(session) };
      await exportTask(database, root, { ...task, changedMs: Number(changed_ms), waits: waits === true });
      count++;
      onCopied?.(count);
    }
    last = String(page.at(-1)?.position ?? last);
    if (page.length < PAGE_TASKS) return count;
  }
}

interface SourceTask {
  readonly id: string;
  readonly content: TranscriptContent;
  /** Whether its process has died. */
  readonly isOrphan: boolean;
}

async function importTask(database: Postgres, { id, content, isOrphan }: SourceTask): Promise<void> {
  const { entries, changedMs } = content;
  const state = stateOf(entries);
  if (!state) return;
  const { userId, sessionId } = state.record;
  const waits = isOrphan && state.end === undefined;
  await database.transaction(async (query) => {
    const added = await query(ADD, [id, Buffer.from(userId), Buffer.from(sessionId), waits, changedMs]);
    if (added.length === 0) throw runs(id);
    await query(REMOVE_LINES, [id]);
    await addLines(query, id, entries);
  });
}

async function addLines(query: Query, id: string, entries: readonly TranscriptEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += LINES_AT_ONCE) {
    const lines = entries.slice(at, at + LINES_AT_ONCE).map((entry) => JSON.stringify(entry));
    await query(ADD_LINES, [id, at, lines]);
  }
}

interface TargetTask {
  readonly id: string;
  readonly user: string;
  readonly sessionId: string;
  readonly changedMs: number;
  readonly waits: boolean;
}

async function exportTask(database: Postgres, root: string, task: TargetTask): Promise<void> {
  const { id, user, sessionId, changedMs, waits } = task;
  await addToIndex(root, user, { id, sessionId });
  const lines: string[] = [];
  for (;;) {
    const page = await readLines(database, id, lines.length);
    lines.push(...page);
    if (page.length < PAGE_LINES) break;
  }
  const path = join(root, id + SUFFIX);
  await writeFile(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  await utimes(path, new Date(changedMs), new Date(changedMs));
  if (!waits) return;
  // The claim of a process that does not exist: another one takes it over.
  const run = stateOf(checkLines(lines, id).entries)?.run ?? 0;
  await mkdir(join(root, LEASES), { recursive: true, mode: 0o700 });
  await writeFile(join(root, LEASES, `${id}.${run}`), randomUUID(), { mode: 0o600 });
}

async function idsIn(root: string): Promise<string[]> {
  const ids = (await namesIn(root)).flatMap((name) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : []));
  return ids.filter(isTaskId);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

function runs(id: string): ToolwrightError {
  const message = `The task ${id} runs in the target. Stop all processes that use the target, then run this again.`;
  return new ToolwrightError('TASK_RUNNING', message);
}

function notEmpty(): ToolwrightError {
  const message =
    'The target has tasks already. Use an empty database, or --overwrite to replace those that both have.';
  return new ToolwrightError('CONFIG_INVALID', message);
}
