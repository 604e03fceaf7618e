import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type CopiedCounts,
  type CopyChoices,
  copyRows,
  type DataFolder,
  dataFolder,
  isSessionId,
  openBlobs,
  openPostgres,
  openSqlite,
  type Postgres,
  tablePart,
} from '@toolwright/storage/internal';
import { type PastRequests, readPastRequests } from '../history/storages/unfinished.ts';
import { isExecutionId } from '../journal/file.ts';
import { SKILL_FOLDERS } from '../skills/skill.ts';
import { inRequest } from '../workspaces/versioned/folder-use.ts';
import { openVersionedFolders, type VersionedFolders } from '../workspaces/versioned/folders.ts';
import { folderRecords, importOldSessions } from './records/folder-records.ts';
import type { SessionRecords } from './records/records.ts';
import { executionFolderName, workspaceName } from './versioned-workspaces.ts';

/** The numbers of a copy of sessions. */
export interface CopiedSessions {
  readonly sessions: number;
  readonly copied: CopiedCounts;
  /** Workspaces of sessions and customers, stored results of executions, and the skills of users. */
  readonly folders: number;
}

/** The places of the sessions that several machines share. */
export interface SharedPlaces {
  /** A `postgres://` URL. */
  readonly store: string;
  /** Default: the database of the store. */
  readonly blobs?: string | undefined;
}

const SKILLS = 'skills/';
const EXECUTION = 'execution/';
const CUSTOMER = 'customer/';
const SESSION = 'session/';
const KEPT = 'kept/';
const FILES_SUFFIX = '.files';
const SESSIONS = {
  name: 'sessions',
  columns: { id: 'text', user_name: 'text', customer: 'text', created_at: 'time', last_used_at: 'time' },
  order: 'id',
} as const;
const LOG = tablePart({ name: 'session_log', columns: { session: 'text', entry: 'text' }, order: 'number' });
const UNKNOWN_VERSION = -1;
/** The file of a backup with the changes that its folders have of unfinished executions. */
export const APPLIED_CHANGES = 'applied-changes.json';

/**
 * Copies the sessions, workspaces, skills and stored results of a data folder to places that several machines share. Nobody may use
 * either meanwhile. Folders that both have are replaced. Raises like {@link copyRows}.
 */
export async function importSessions(
  dataDir: string,
  places: SharedPlaces,
  { overwrite = false }: CopyChoices = {},
): Promise<CopiedSessions> {
  return withPlaces(places, dataDir, async ({ database, folders }) => {
    const data = dataFolder(dataDir);
    await using state = openSqlite(data.state);
    const records = folderRecords(data, state);
    await importOldSessions(data, state);
    const copied = await copyRows({ from: state, to: database, table: SESSIONS, parts: [[LOG, LOG]], overwrite });
    let count = 0;
    const applied = await appliedRequests(dataDir, records);
    for (const folder of await foldersIn(dataDir, data, records)) {
      await importFolder(folder, applied.get(folder.name) ?? [], folders);
      count++;
    }
    return { sessions: copied.sessions?.rows ?? 0, folders: count, copied };
  });
}

/**
 * Copies shared sessions, workspaces, skills and stored results into an empty folder, in the layout of a data folder. Raises
 * like {@link copyRows}.
 */
export async function exportSessions(places: SharedPlaces, dataDir: string): Promise<void> {
  return withPlaces(places, dataDir, async ({ database, folders }) => {
    const data = dataFolder(dataDir);
    const applied: AppliedRequests[] = [];
    await using state = openSqlite(data.state);
    await copyRows({ from: database, to: state, table: SESSIONS, parts: [[LOG, LOG]] });
    for await (const names of folders.rows.list('')) {
      for (const name of names) {
        const root = rootOf(name, dataDir, data);
        if (root === undefined) continue;
        await mkdir(dirname(root), { recursive: true, mode: 0o700 });
        const use = folders.use({ name, root }, { right: 'change' });
        await use.read(async () => undefined);
        await use.end();
        const version = await folders.rows.read(name, UNKNOWN_VERSION);
        for (const [id, requests] of version?.manifest?.applied ?? [])
          applied.push({ name, id, requests: [...requests] });
      }
    }
    await writeFile(join(dataDir, APPLIED_CHANGES), JSON.stringify(applied), { mode: 0o600 });
  });
}

async function withPlaces<T>(
  { store, blobs: place }: SharedPlaces,
  dataDir: string,
  work: (opened: { database: Postgres; folders: VersionedFolders }) => Promise<T>,
): Promise<T> {
  await using database = openPostgres({ url: store });
  await using blobs = openBlobs(place ?? store, dataDir);
  await using folders = openVersionedFolders({ database, blobs, dataDir, logger: { warn: () => undefined } });
  return await work({ database, folders });
}

/** The requests of an execution whose changes a folder has. */
interface AppliedRequests extends PastRequests {
  /** The name of the folder. */
  readonly name: string;
}

/** Returns the requests whose changes are in the folders, by their names: those of the backup of a cluster, or of all journals. */
async function appliedRequests(
  dataDir: string,
  records: SessionRecords,
): Promise<ReadonlyMap<string, readonly PastRequests[]>> {
  const stored = await readFile(join(dataDir, APPLIED_CHANGES), 'utf8').catch(() => undefined);
  const all: readonly AppliedRequests[] =
    stored === undefined ? await recordedRequests(dataDir, records) : JSON.parse(stored);
  const applied = new Map<string, PastRequests[]>();
  for (const past of all) applied.set(past.name, [...(applied.get(past.name) ?? []), past]);
  return applied;
}

async function recordedRequests(dataDir: string, records: SessionRecords): Promise<AppliedRequests[]> {
  const found: AppliedRequests[] = [];
  for (const past of await readPastRequests(dataDir)) {
    const session = past.session === undefined ? undefined : await records.find(past.session);
    if (past.session === undefined) found.push({ ...past, name: executionFolderName(past.id) });
    else if (session) found.push({ ...past, name: workspaceName(session) });
  }
  return found;
}

/** Copies a folder, with the requests of unfinished executions whose changes it has: they are not made again. */
async function importFolder(
  { name, root, top }: SourceFolder,
  applied: readonly PastRequests[],
  folders: VersionedFolders,
): Promise<void> {
  const place = { name, root, top };
  const use = (execution?: string) => folders.use(place, { right: 'end', isNew: true, execution });
  const uses = [use()];
  for (const { id, requests } of applied) {
    const own = use(id);
    for (const request of requests) await inRequest(request, () => own.change(async () => undefined));
    uses.push(own);
  }
  await uses[0]?.change(async () => undefined);
  for (const own of uses) await own.end();
}

interface SourceFolder {
  readonly name: string;
  readonly root: string;
  readonly top?: ReadonlySet<string>;
}

/** Returns the folders of a data folder that become versioned folders. */
async function foldersIn(dataDir: string, data: DataFolder, records: SessionRecords): Promise<SourceFolder[]> {
  const found: SourceFolder[] = [];
  const add = async (folder: SourceFolder) => {
    if ((await namesIn(folder.root)).length > 0) found.push(folder);
  };
  for (const id of (await namesIn(data.sessions)).filter(isSessionId)) {
    if (!(await records.find(id))) continue;
    await add({ name: SESSION + id, root: join(data.session(id), 'workspace') });
    await add({ name: KEPT + id, root: join(data.session(id), 'kept') });
  }
  for (const name of await namesIn(join(dataDir, 'customers'))) {
    await add({ name: CUSTOMER + name, root: join(dataDir, 'customers', name, 'workspace') });
  }
  for (const name of await namesIn(join(dataDir, 'users'))) {
    await add({ name: SKILLS + name, root: join(dataDir, 'users', name), top: SKILL_FOLDERS });
  }
  for (const name of await namesIn(data.executions)) {
    const id = name.slice(0, -FILES_SUFFIX.length);
    if (!name.endsWith(FILES_SUFFIX) || !isExecutionId(id)) continue;
    await add({ name: executionFolderName(id), root: join(data.executions, name) });
  }
  return found;
}

/** Returns the place of a versioned folder in a data folder; undefined for a name of another version of Toolwright. */
function rootOf(name: string, dataDir: string, data: DataFolder): string | undefined {
  const own = name.slice(name.indexOf('/') + 1);
  if (own === '' || /[/\\]|^\.+$/.test(own)) return undefined;
  if (name.startsWith(SESSION) && isSessionId(own)) return join(data.session(own), 'workspace');
  if (name.startsWith(KEPT) && isSessionId(own)) return join(data.session(own), 'kept');
  if (name.startsWith(CUSTOMER)) return join(dataDir, 'customers', own, 'workspace');
  if (name.startsWith(SKILLS)) return join(dataDir, 'users', own);
  return name.startsWith(EXECUTION) && isExecutionId(own) ? join(data.executions, own + FILES_SUFFIX) : undefined;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}
