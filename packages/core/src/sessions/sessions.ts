import { randomBytes } from 'node:crypto';
import { type DataFolder, dataFolder, isSessionId, openSqlite } from '@toolwright/storage/internal';
import { isDiskFull, ToolwrightError } from '../errors.ts';
import type { ExecutionStorage } from '../history/storages/storage.ts';
import { checkedName } from '../owner-name.ts';
import type { Files } from '../workspaces/files.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import type { Quota } from '../workspaces/shared-state.ts';
import type { VersionedFolders } from '../workspaces/versioned/folders.ts';
import { sessionEntries } from './entries.ts';
import { sessionFiles } from './files.ts';
import { createKeptStores, type KeptStore } from './kept/kept.ts';
import { folderRecords } from './records/folder-records.ts';
import type { SessionRecords } from './records/records.ts';
import type { OpenSession, Session, SessionOfUser, SessionRequest, SessionStore, Sessions } from './session.ts';
import { createUserSpaces, type UserSpace } from './user-space.ts';
import { createVersionedWorkspaces } from './versioned-workspaces.ts';
import { createSessionWorkspaces, type SessionWorkspaces, type WorkspaceRequest } from './workspaces.ts';

/** The sessions that several machines share. */
export interface SharedSessions {
  readonly records: SessionRecords;
  readonly folders: VersionedFolders;
}

interface SessionStoreOptions {
  readonly dataDir: string;
  readonly executions: ExecutionStorage;
  /** Quota of the files that the host itself writes. */
  readonly quota: Quota;
  /** Default: the sessions are in the data folder. */
  readonly shared?: SharedSessions | undefined;
  /** The most bytes on disk of one user. Default: no limit, and nothing is counted. */
  readonly userDiskBytes?: number | undefined;
  /** Customer of sessions that are created without one. */
  readonly customer?: string | undefined;
  /** Removes the other data of a session before its files are deleted. */
  readonly onRemove?: (session: Session) => Promise<void>;
}

interface SessionParts {
  readonly folders: DataFolder;
  readonly records: SessionRecords;
  readonly workspaces: SessionWorkspaces;
  readonly lookup: SessionLookup;
  readonly keptStore: (session: Session) => KeptStore;
  /** Returns `/session` of a session. */
  readonly logFiles: (session: Session) => Files;
  /** Returns the space of a user; undefined without a limit. */
  readonly spaceFor: (userId: string) => UserSpace | undefined;
}

/** Finds and creates sessions by id. */
interface SessionLookup {
  /** Returns a user's session. Raises `UNKNOWN_SESSION`. */
  find(id: string, userId: string): Promise<Session>;
  /** Creates a session. Raises `CONFIG_INVALID` when the data folder cannot be written to. */
  create(id: string, userId: string, customer?: string): Promise<Session>;
  /** Returns the user's session of that id, or creates it. Raises `CONFIG_INVALID` for a malformed id. */
  findOrCreate(id: string, userId: string): Promise<Session>;
}

const ID_CHARACTERS = 26;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Opens the sessions in `<dataDir>/sessions`, or shared ones. Files of executions without a session are next to their journals. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const folders = dataFolder(options.dataDir);
  const { userDiskBytes, shared } = options;
  const sessionsOf = (userId: string) => sessions.list({ userId });
  // Nothing is opened before the first use.
  const database = openSqlite(folders.state);
  const records = shared?.records ?? folderRecords(folders, database);
  const workspaces = shared ? createVersionedWorkspaces(shared.folders, folders) : createSessionWorkspaces(folders);
  const keptStores = createKeptStores();
  const parts: SessionParts = {
    folders,
    records,
    workspaces,
    lookup: createSessionLookup(records, options.customer),
    keptStore: (session) => keptStores(session.id, workspaces.kept(session, parts.spaceFor(session.userId))),
    logFiles: (session) => sessionFiles(session.id, () => sessionEntries({ ...options, records }, session)),
    spaceFor:
      userDiskBytes === undefined
        ? () => undefined
        : createUserSpaces({
            executions: options.executions,
            maxBytes: userDiskBytes,
            sessionsOf,
            measure: workspaces.measure,
          }),
  };
  const sessions = createSessions(parts, options);
  const ownSession = async ({ sessionId, userId }: SessionOfUser) => {
    const session = sessionId === undefined ? undefined : await records.find(sessionId);
    return session?.userId === userId ? session : undefined;
  };
  const stored: SessionStore['stored'] = async (path, execution, maxBytes) =>
    workspaces.stored(path, { execution: execution.id, session: await ownSession(execution) }, maxBytes);
  return {
    sessions,
    spaceFor: parts.spaceFor,
    async kept(execution) {
      const session = await ownSession(execution);
      return session && parts.keptStore(session);
    },
    isNew: records.isNew,
    open: (request, executionId, quota) => openSession(request, { executionId, quota }, parts),
    result: async (execution, maxBytes) =>
      (await stored(`/workspace/results/${execution.id}.json`, execution, maxBytes))?.toString(),
    stored,
    removeExecution: workspaces.removeExecution,
    async purge(olderThanMs, { kept, signal }) {
      let count = 0;
      for await (const page of records.unused(olderThanMs)) {
        for (const session of page) {
          if (kept.has(session.id) || signal.aborted) continue;
          // A failed removal is repeated at the next purge.
          const isRemoved = await removeSession(session, parts, options).then(
            () => true,
            () => false,
          );
          if (isRemoved) count++;
        }
      }
      await workspaces.purgeExecutions(olderThanMs);
      return count;
    },
    has: async (id) => (await records.find(id)) !== undefined,
    close: async () => database[Symbol.asyncDispose](),
  };
}

async function openSession(
  { userId, sessionId, createSession = false, isReadOnly, isContinued }: SessionRequest,
  own: WorkspaceRequest,
  { records, workspaces, lookup, logFiles, keptStore, spaceFor }: SessionParts,
): Promise<OpenSession> {
  const owner = checkedName('userId', userId);
  const space = spaceFor(owner);
  await space?.check();
  const request = { ...own, space, isReadOnly, isContinued };
  if (sessionId === undefined) {
    const use = workspaces.ofExecution(request);
    const mounts = () => ({ workspace: use.workspace() });
    return { ...use, mounts, userId: owner, space, isNew: false, record: async () => undefined };
  }
  const session = await (createSession ? lookup.findOrCreate : lookup.find)(sessionId, owner);
  const { isNew } = await records.touch(session.id);
  const use = workspaces.ofSession(session, request);
  return {
    ...use,
    mounts: () => ({ workspace: use.workspace(), session: logFiles(session) }),
    userId: session.userId,
    space,
    kept: keptStore(session),
    isNew,
    record: (entry) => records.append(session.id, entry),
  };
}

function createSessions(parts: SessionParts, options: SessionStoreOptions): Sessions {
  const { records, workspaces, lookup, logFiles, spaceFor } = parts;
  const find = async (id: string, userId: string | undefined) => lookup.find(id, checkedName('userId', userId));
  return {
    create: async ({ userId, customer } = {}) =>
      lookup.create(
        mintSessionId(),
        checkedName('userId', userId),
        customer === undefined ? undefined : checkedName('customer', customer),
      ),
    get: async (id, { userId, create = false } = {}) =>
      create ? lookup.findOrCreate(id, checkedName('userId', userId)) : find(id, userId),
    list: async ({ userId, ...page } = {}) => {
      const owner = checkedName('userId', userId);
      // An id from outside may have any characters.
      return page.before === undefined || isSessionId(page.before) ? records.list(owner, page) : [];
    },
    async log(id, { userId } = {}) {
      const session = await find(id, userId);
      return sessionEntries({ ...options, records }, session);
    },
    async files(id, { userId } = {}) {
      const session = await find(id, userId);
      // On a full disk, files can be read, and removed to free space.
      await records.touch(session.id).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error;
      });
      const workspace = workspaces.files(session, options.quota, spaceFor(session.userId));
      return mountFiles({ workspace, session: logFiles(session) });
    },
    async remove(id, { userId } = {}) {
      await removeSession(await find(id, userId), parts, options);
    },
  };
}

async function removeSession(
  session: Session,
  { records, workspaces, spaceFor }: SessionParts,
  { onRemove }: SessionStoreOptions,
): Promise<void> {
  await onRemove?.(session);
  const bytes = await records.remove(session.id);
  const more = await workspaces.removeSession(session.id);
  spaceFor(session.userId)?.add(-bytes - more);
}

/** Returns a new random id. It has lower-case letters only, for disks that ignore case. */
function mintSessionId(): string {
  return [...randomBytes(ID_CHARACTERS)].map((byte) => ALPHABET[byte & 31]).join('');
}

/** Creates the lookup of sessions. `defaultCustomer` is the customer of sessions that are created without one. */
function createSessionLookup(records: SessionRecords, defaultCustomer: string | undefined): SessionLookup {
  const find = async (id: string, userId: string): Promise<Session> => {
    const session = isSessionId(id) ? await records.find(id) : undefined;
    if (session?.userId === userId) return session;
    const shown = JSON.stringify(String(id).slice(0, 64));
    throw new ToolwrightError('UNKNOWN_SESSION', `There is no session ${shown}. Create one, or run without a session.`);
  };
  const create = async (id: string, userId: string, customer = defaultCustomer): Promise<Session> => {
    const created = await records.create({ id, userId, customer });
    // Another process may have been faster; its session may belong to another user.
    return created ?? find(id, userId);
  };
  return {
    find,
    create,
    async findOrCreate(id, userId) {
      if (!isSessionId(id)) {
        throw new ToolwrightError('CONFIG_INVALID', 'A session id must have 1 to 64 letters, digits, "-" and "_".');
      }
      return (await records.find(id)) ? find(id, userId) : create(id, userId);
    },
  };
}
