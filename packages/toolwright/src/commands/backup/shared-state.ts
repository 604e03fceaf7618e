import { type Output, UsageError } from '@toolwright/core/command';
import {
  countUnfinished,
  exportExecutions,
  exportSessions,
  importExecutions,
  importSessions,
  type SharedPlaces,
} from '@toolwright/core/internal';
import { exportTasks, importTasks } from '@toolwright/server/internal';
import { type CopiedCounts, exportAuditRecords, importAuditRecords } from '@toolwright/storage/internal';
import { reportCopied } from './progress.ts';

/** The numbers of a copy of everything that a data folder has next to its store. */
export interface CopiedFolder {
  readonly executions: number;
  readonly tasks: number;
  readonly sessions: number;
  /** Workspaces of sessions and customers, stored results of executions, and the skills of users. */
  readonly folders: number;
  readonly auditRecords: number;
  /** The rows of each table and their hash, which source and target have. */
  readonly tables: CopiedCounts;
}

/**
 * Copies executions, tasks, sessions, skills and audit records of a data folder to a store that has them instead. Executions come first:
 * files of a session may be of use to one. Raises `CONFIG_INVALID` for a target that is not empty, unless `overwrite` is set.
 */
export async function importShared(
  dataDir: string,
  places: SharedPlaces,
  { overwrite = false, output }: { readonly overwrite?: boolean; readonly output: Output },
): Promise<CopiedFolder> {
  const onCopied = (things: string) => ({ overwrite, onCopied: reportCopied(output, things) });
  const { executions, unreadable, ...rows } = await importExecutions(dataDir, places, onCopied('executions'));
  const tasks = await importTasks(dataDir, places, onCopied('tasks'));
  const { sessions, folders, ...others } = await importSessions(dataDir, places, { overwrite });
  const auditRecords = await importAuditRecords(dataDir, places.store);
  if (unreadable > 0) output.err(`Left out ${unreadable} journals, because their first line cannot be read.`);
  const tables = { ...rows.copied, ...tasks, ...others.copied };
  return { executions, tasks: tasks.tasks?.rows ?? 0, sessions, folders, auditRecords, tables };
}

/** Copies executions, tasks, sessions, skills and audit records of a shared store, in the layout of a data folder. */
export async function exportShared(places: SharedPlaces, dataDir: string, output: Output): Promise<void> {
  await exportSessions(places, dataDir);
  await exportExecutions(places, dataDir, reportCopied(output, 'executions'));
  await exportTasks(places, dataDir, reportCopied(output, 'tasks'));
  await exportAuditRecords(places.store, dataDir);
}

/** Raises `UsageError` while processes of a cluster run executions or tasks. Returns the number of programs that no worker has begun. */
export async function requireIdleCluster(store: string): Promise<number> {
  const { running, queued } = await countUnfinished(store);
  if (running === 0) return queued;
  const message = `${running} executions and tasks run in the cluster. Stop all of its processes, then run this again.`;
  throw new UsageError(message);
}
