import { type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ownershipProblem } from '@toolwright/pii/internal';
import { descriptorShortage, isDescriptorShortage } from '@toolwright/sandbox/processes';
import { isDiskFull, isUncreatable, messageOf, ToolwrightError } from '../errors.ts';
import { folderName } from './folder-name.ts';

/** The paths of a data folder. */
export interface DataFolder {
  readonly executions: string;
  /** The file of the tables. */
  readonly state: string;
  /** The file with the key of all journals. */
  readonly journalKey: string;
  readonly sessions: string;
  /** Folder of one session; check its id with {@link isSessionId} first. */
  session(id: string): string;
  /** `/workspace` of all sessions of one customer. */
  customerWorkspace(customer: string): string;
}

/** The tables of a data folder. */
export const STATE_FILE = 'state.db';

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the paths of `<dataDir>`. */
export function dataFolder(dataDir: string): DataFolder {
  const sessions = join(dataDir, 'sessions');
  return {
    executions: join(dataDir, 'executions'),
    state: join(dataDir, STATE_FILE),
    journalKey: join(dataDir, 'journal.key'),
    sessions,
    session: (id) => join(sessions, id),
    customerWorkspace: (customer) => join(dataDir, 'customers', folderName('customer', customer), 'workspace'),
  };
}

/** Returns whether a value can be the id of a session, and so the name of its folder. */
export function isSessionId(id: unknown): id is string {
  return typeof id === 'string' && SESSION_ID.test(id);
}

/**
 * Returns the error of a data folder that cannot be used. It names the folder, and for a full disk how to go on. Its details have the
 * `errno`, and the part `dataFolder`. A lack of file descriptors is `BUSY`.
 */
export function dataFolderError(folder: string, cause: unknown): ToolwrightError {
  if (isDescriptorShortage(cause)) {
    const { message, details } = descriptorShortage();
    return new ToolwrightError('BUSY', message, { cause, details });
  }
  const other = 'set dataDir or TOOLWRIGHT_DATA_DIR to';
  const problem = isDiskFull(cause)
    ? `its disk is full (${messageOf(cause)}). Free space or inodes there (see "df -h" and "df -i"), or ${other} a folder on another disk.`
    : `${messageOf(cause)}. Make it writable, or ${other} a writable folder.`;
  const details = { part: 'dataFolder', errno: Object(cause).code };
  return new ToolwrightError('CONFIG_INVALID', `Cannot write to the data folder ${folder}: ${problem}`, {
    cause,
    details,
  });
}

/**
 * Raises `CONFIG_INVALID` if the data folder does not exist and its file system creates no folders. Raises it, with the command that fixes
 * it, when another user could change an existing data folder, or read its keys. A missing folder is created for its owner only.
 */
export function requireDataFolder(dataDir: string): void {
  requireCreatable(dataDir);
  requireOwnership(dataDir);
}

function requireCreatable(dataDir: string): void {
  if (!isUncreatable(dataDir)) return;
  const message = `The data folder ${dataDir} cannot be created: its file system creates no folders. Set dataDir or TOOLWRIGHT_DATA_DIR to a writable folder.`;
  throw new ToolwrightError('CONFIG_INVALID', message, { details: { part: 'dataFolder', errno: 'ENOENT' } });
}

/** The files of a data folder that nobody else may read or exchange. */
const KEY_FILES = ['master.key', 'journal.key'];
const DATABASES = ['store.db', STATE_FILE];

/** Windows has no modes, so nothing is checked there. */
function requireOwnership(dataDir: string): void {
  const folder = resolve(dataDir);
  const stats = statOf(folder);
  if (stats === undefined) return;
  const isMount = statOf(dirname(folder))?.dev !== stats.dev;
  const secrets = KEY_FILES.map((name) => [join(folder, name), 'secret'] as const);
  const files = DATABASES.map((name) => [join(folder, name), 'file'] as const);
  const problems = [[folder, 'folder'] as const, ...secrets, ...files].map(([path, kind]) => {
    const found = statOf(path);
    return found && ownershipProblem(path, found, { kind, isMount });
  });
  const problem = problems.find((each) => each !== undefined);
  if (problem !== undefined) throw new ToolwrightError('CONFIG_INVALID', `The data folder is not safe: ${problem}`);
}

/** Other errors of the folder are those of its first use. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
