import { existsSync } from 'node:fs';
import { stderrLogger, ToolwrightError } from '@toolwright/core';
import { type Database, dataFolder, openPostgres, openSqlite } from '@toolwright/core/internal';
import { addTask } from './add-task.ts';
import { openFolder } from './open.ts';
import { PAGE_LINES, readLines } from './reader.ts';

export interface ImportTasksOptions {
  /** Whether tasks that both have are replaced. Default: false, and a target with tasks is refused. */
  readonly overwrite?: boolean;
  /** Called after each copied task with the number of all so far. */
  readonly onCopied?: ((count: number) => void) | undefined;
}

const PAGE_TASKS = 200;

const ANY = 'select id from toolwright.tasks limit 1';
const OWNERS = 'select distinct owner from toolwright.tasks where expires_at > clock_timestamp()';
const LIST = `select id::text, number::text as position, user_id, waits or owner is not null as waits, session_id,
    (extract(epoch from changed_at) * 1000)::float8 as changed_ms
  from toolwright.tasks where number > $1 order by number limit ${PAGE_TASKS}`;

/**
 * Copies the tasks of a data folder to a database. Nobody may use the folder meanwhile. Tasks whose process has died are continued by a
 * worker of the target. Returns the number of tasks. Raises `CONFIG_INVALID` for a target that has tasks, unless `overwrite` is set;
 * `TASK_RUNNING` for one that runs in the target; and `STORE_UNAVAILABLE`.
 */
export async function importTasks(
  dataDir: string,
  { store }: { readonly store: string },
  options: ImportTasksOptions = {},
): Promise<number> {
  await using from = await openFolder(dataDir, stderrLogger());
  await using to = openPostgres({ url: store });
  return await copyTasks(from, to, options);
}

/**
 * Copies the tasks of a database into a data folder. No process may run tasks meanwhile. Tasks that wait for a worker are continued by a
 * process of the folder. Returns their number. Raises like {@link importTasks}.
 */
export async function exportTasks(
  { store }: { readonly store: string },
  dataDir: string,
  onCopied?: (count: number) => void,
): Promise<number> {
  await using from = openPostgres({ url: store });
  await using to = await openFolder(dataDir, stderrLogger());
  return await copyTasks(from, to, { onCopied });
}

/** Returns the number of processes that run tasks of a data folder. */
export async function countTaskOwners(dataDir: string): Promise<number> {
  const path = dataFolder(dataDir).state;
  if (!existsSync(path)) return 0;
  await using database = openSqlite(path);
  return (await database.read(OWNERS)).length;
}

/** Copies tasks with their transcripts and in their order. */
async function copyTasks(
  from: Database,
  to: Database,
  { overwrite = false, onCopied }: ImportTasksOptions,
): Promise<number> {
  let [last, count] = ['0', 0];
  for (;;) {
    const page = await from.read(LIST, [last]);
    if (count === 0 && page.length > 0 && !overwrite && (await to.read(ANY)).length > 0) throw notEmpty();
    for (const { id, user_id, session_id, waits, changed_ms } of page) {
      const names = { id: String(id), user: user_id as Buffer, session: session_id as Buffer };
      const task = { ...names, changedMs: Number(changed_ms), waits: Boolean(waits) };
      await to.transaction(async (query) => {
        if (!(await addTask(query, task, { lines: linesOf(from, task.id), replaces: true }))) throw runs(task.id);
      });
      count++;
      onCopied?.(count);
    }
    last = String(page.at(-1)?.position ?? last);
    if (page.length < PAGE_TASKS) return count;
  }
}

async function* linesOf(database: Database, id: string): AsyncGenerator<readonly string[]> {
  for (let read = 0; ; ) {
    const page = await readLines(database, id, read);
    if (page.length > 0) yield page;
    read += page.length;
    if (page.length < PAGE_LINES) return;
  }
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
