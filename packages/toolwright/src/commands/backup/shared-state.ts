import { type Output, UsageError } from '@toolwright/core/command';
import {
  type CopiedExecutions,
  type CopiedSessions,
  countUnfinished,
  exportAuditRecords,
  exportExecutions,
  exportSessions,
  importAuditRecords,
  importExecutions,
  importSessions,
  type SharedPlaces,
} from '@toolwright/core/internal';
import { exportTasks, importTasks } from '@toolwright/server/internal';
import { reportCopied } from './progress.ts';

/** The numbers of a copy of everything that a data folder has next to its store. */
export interface CopiedFolder extends CopiedSessions, CopiedExecutions {
  readonly tasks: number;
  readonly auditRecords: number;
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
  const executions = await importExecutions(dataDir, places, {
    overwrite,
    onCopied: reportCopied(output, 'executions'),
  });
  const tasks = await importTasks(dataDir, places, { overwrite, onCopied: reportCopied(output, 'tasks') });
  const sessions = await importSessions(dataDir, places);
  const auditRecords = await importAuditRecords(dataDir, places.store);
  if (executions.unreadable > 0)
    output.err(`Left out ${executions.unreadable} journals, because their first line cannot be read.`);
  return { ...executions, ...sessions, tasks, auditRecords };
}

/** Copies executions, tasks, sessions, skills and audit records of a shared store, in the layout of a data folder. */
export async function exportShared(places: SharedPlaces, dataDir: string, output: Output): Promise<void> {
  await exportSessions(places, dataDir);
  await exportExecutions(places, dataDir, reportCopied(output, 'executions'));
  await exportTasks(places, dataDir, reportCopied(output, 'tasks'));
  await exportAuditRecords(places.store, dataDir);
}

/** Raises `UsageError` while processes of a cluster run executions or tasks. Reports programs that no worker has begun. */
export async function requireIdleCluster(store: string, { err }: Output): Promise<void> {
  const { running, queued } = await countUnfinished(store);
  if (running > 0) {
    const message = `${running} executions and tasks run in the cluster. Stop all of its processes, then run this again.`;
    throw new UsageError(message);
  }
  if (queued > 0)
    err(`${queued} programs wait for a worker, and are not in the backup. Let the workers run them before a backup.`);
}
