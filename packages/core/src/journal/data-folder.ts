import { join } from 'node:path';
import { messageOf, ToolwrightError } from '../errors.ts';
import { folderName } from '../workspaces/folder-name.ts';

/** The paths of a data folder. */
export interface DataFolder {
  readonly executions: string;
  readonly sessions: string;
  /** Folder of one session; check its id with {@link isSessionId} first. */
  session(id: string): string;
  /** `/workspace` of all sessions of one customer. */
  customerWorkspace(customer: string): string;
}

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the paths of `<dataDir>`. */
export function dataFolder(dataDir: string): DataFolder {
  const sessions = join(dataDir, 'sessions');
  return {
    executions: join(dataDir, 'executions'),
    sessions,
    session: (id) => join(sessions, id),
    customerWorkspace: (customer) => join(dataDir, 'customers', folderName('customer', customer), 'workspace'),
  };
}

/** Returns whether a value can be the id of a session, and so the name of its folder. */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && SESSION_ID.test(id);
}

const DISK_FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);
/** `SQLITE_FULL` in the errors of Node's own SQLite. */
const SQLITE_FULL = 13;
const MAX_CAUSES = 5;

/** Returns the error of a data folder that cannot be written to. It names the folder, and for a full disk how to go on. */
export function dataFolderError(folder: string, cause: unknown): ToolwrightError {
  const other = 'set dataDir or TOOLWRIGHT_DATA_DIR to';
  const problem = isDiskFull(cause)
    ? `its disk is full (${messageOf(cause)}). Free space or inodes there (see "df -h" and "df -i"), or ${other} a folder on another disk.`
    : `${messageOf(cause)}. Make it writable, or ${other} a writable folder.`;
  return new ToolwrightError('CONFIG_INVALID', `Cannot write to the data folder ${folder}: ${problem}`, { cause });
}

/** Returns whether a full disk or quota caused the error: `details.errno` of the library or `code` of Node, in any cause. */
export function isDiskFull(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    const { code, errcode } = current as NodeJS.ErrnoException & { errcode?: unknown };
    if (DISK_FULL.has(code) || (code === 'ERR_SQLITE_ERROR' && errcode === SQLITE_FULL)) return true;
    if (current instanceof ToolwrightError && DISK_FULL.has(current.details.errno)) return true;
    current = current.cause;
  }
  return false;
}
