import { existsSync } from 'node:fs';
import { stderrLogger } from '@toolwright/core';
import {
  type CopiedCounts,
  type CopyChoices,
  copyRows,
  type Database,
  dataFolder,
  openPostgres,
  openSqlite,
  tablePart,
} from '@toolwright/storage/internal';
import { openFolder } from './open.ts';

const TASKS = {
  name: 'tasks',
  columns: { id: 'uuid', user_id: 'bytes', session_id: 'bytes', waits: 'boolean', changed_at: 'time' },
  order: 'number',
  // The process of a task is dead.
  instead: { waits: 'waits or owner is not null' },
  replaced: ['fence = tasks.fence + 1', 'owner = null', 'expires_at = null', 'cancel_requested = false'],
} as const;
const LINES = tablePart({
  name: 'task_lines',
  columns: { task: 'uuid', number: 'number', line: 'text' },
  order: 'number',
});
const OWNERS = 'select distinct owner from toolwright.tasks where expires_at > clock_timestamp()';

/**
 * Copies the tasks of a data folder to a database, with their transcripts and in their order. Nobody may use the folder meanwhile. Tasks whose
 * process has died are continued by a worker of the target. Raises like `copyRows`.
 */
export async function importTasks(
  dataDir: string,
  { store }: { readonly store: string },
  choices: CopyChoices = {},
): Promise<CopiedCounts> {
  await using from = await openFolder(dataDir, stderrLogger());
  await using to = openPostgres({ url: store });
  return await copyTasks(from, to, choices);
}

/**
 * Copies the tasks of a database into a data folder. No process may run tasks meanwhile. Tasks that wait for a worker are continued by a
 * process of the folder. Raises like `copyRows`.
 */
export async function exportTasks(
  { store }: { readonly store: string },
  dataDir: string,
  onCopied?: (count: number) => void,
): Promise<CopiedCounts> {
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

function copyTasks(from: Database, to: Database, choices: CopyChoices): Promise<CopiedCounts> {
  return copyRows({ from, to, table: TASKS, parts: [[LINES, LINES]], ...choices });
}
