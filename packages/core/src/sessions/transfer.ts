import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type PastRequests, readPastRequests } from '../history/storages/unfinished.ts';
import { isExecutionId } from '../journal/file.ts';
import { SKILL_FOLDERS } from '../skills/skill.ts';
import { openBlobs } from '../stores/blobs/open.ts';
import { type DataFolder, dataFolder, isSessionId } from '../stores/data-folder/data-folder.ts';
import type { Database } from '../stores/database.ts';
import { openPostgres, type Postgres } from '../stores/postgres/connection.ts';
import { openSqlite } from '../stores/sqlite/database.ts';
import { inRequest } from '../workspaces/versioned/folder-use.ts';
import { openVersionedFolders, type VersionedFolders } from '../workspaces/versioned/folders.ts';
import { folderRecords } from './records/folder-records.ts';
import type { SessionRecords } from './records/records.ts';
import { copySession, sessionRows } from './records/rows.ts';
import { executionFolderName, workspaceName } from './versioned-workspaces.ts';

/** The numbers of a copy of sessions. */
export interface CopiedSessions {
  readonly sessions: number;
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
/** Sessions of any age, also those whose clock was ahead. */
const ALL_SESSIONS = -1e12;
const UNKNOWN_VERSION = -1;
/** The file of a backup with the changes that its folders have of unfinished executions. */
export const APPLIED_CHANGES = 'applied-changes.json';

/**
 * Copies the sessions, workspaces, skills and stored results of a data folder to places that several machines share. Nobody may use
 * either meanwhile. Sessions that the target has keep their record and log; folders are replaced. Raises `STORE_UNAVAILABLE`.
 */
export async function importSessions(dataDir: string, places: SharedPlaces): Promise<CopiedSessions> {
  return withPlaces(places, dataDir, async ({ database, folders }) => {
    const data = dataFolder(dataDir);
    const copied = { sessions: 0, folders: 0 };
    await using state = openSqlite(data.state);
    const records = folderRecords(data, state);
    copied.sessions = await copySessions(records, database);
    const applied = await appliedRequests(dataDir, records);
    for (const folder of await foldersIn(dataDir, data, records)) {
      await importFolder(folder, applied.get(folder.name) ?? [], folders);
      copied.folders++;
    }
    return copied;
  });
}

/**
 * Copies shared sessions, workspaces, skills and stored results into an empty folder, in the layout of a data folder. Raises
 * `STORE_UNAVAILABLE`.
 */
export async function exportSessions(places: SharedPlaces, dataDir: string): Promise<CopiedSessions> {
  return withPlaces(places, dataDir, async ({ database, folders }) => {
    const data = dataFolder(dataDir);
    const copied = { sessions: 0, folders: 0 };
    const applied: AppliedRequests[] = [];
    await using state = openSqlite(data.state);
    copied.sessions = await copySessions(sessionRows(database), state);
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
        copied.folders++;
      }
    }
    await writeFile(join(dataDir, APPLIED_CHANGES), JSON.stringify(applied), { mode: 0o600 });
    return copied;
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

/** Copies the sessions that the target lacks. Returns their number. */
async function copySessions(from: SessionRecords, to: Database): Promise<number> {
  let copied = 0;
  for await (const page of from.unused(ALL_SESSIONS)) {
    for (const session of page) if (await copySession(to, session, await from.entries(session.id))) copied++;
  }
  return copied;
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
