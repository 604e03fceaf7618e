import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ExecutionStorage } from '../execution/storages/storage.ts';
import { type DataFolder, dataFolder, isSessionId } from '../journal/data-folder.ts';
import { spaceOf } from '../workspaces/disk-space.ts';
import type { Files } from '../workspaces/files.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import type { Quota } from '../workspaces/shared-state.ts';
import { measure, removeTree } from '../workspaces/tree.ts';
import { sessionEntries } from './entries.ts';
import { sessionFiles } from './files.ts';
import { appendEntry, hasNoEntries } from './log.ts';
import { checkedName, createSessionLookup, type SessionLookup } from './lookup.ts';
import { mintSessionId, readSession, touchSession } from './record.ts';
import type { OpenSession, Session, SessionStore, Sessions } from './session.ts';
import { createUserSpaces, type UserSpace } from './user-space.ts';
import { createSessionWorkspaces, type SessionWorkspaces } from './workspaces.ts';

export interface SessionStoreOptions {
  readonly dataDir: string;
  readonly executions: Pick<ExecutionStorage, 'journals' | 'history' | 'ends' | 'bytes'>;
  /** Quota of the files that the host itself writes. */
  readonly quota: Quota;
  /** The most bytes on disk of one user. Default: no limit, and nothing is counted. */
  readonly userDiskBytes?: number | undefined;
  /** Customer of sessions that are created without one. */
  readonly customer?: string | undefined;
  /** Removes the other data of a session before its files are deleted. */
  readonly onRemove?: (session: Session) => Promise<void>;
}

interface SessionParts {
  readonly folders: DataFolder;
  readonly workspaces: SessionWorkspaces;
  readonly lookup: SessionLookup;
  /** Returns `/session` of a session. */
  readonly logFiles: (session: Session) => Files;
  /** Returns the space of a user; undefined without a limit. */
  readonly spaceFor: (userId: string) => UserSpace | undefined;
}

/** Opens the sessions in `<dataDir>/sessions`. Files of executions without a session are next to their journals. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const folders = dataFolder(options.dataDir);
  const { userDiskBytes } = options;
  const sessionsOf = (userId: string) => sessions.list({ userId });
  const parts: SessionParts = {
    folders,
    workspaces: createSessionWorkspaces(folders),
    lookup: createSessionLookup(folders, options.customer),
    logFiles: (session) => sessionFiles(session.id, () => sessionEntries(options, session)),
    spaceFor:
      userDiskBytes === undefined
        ? () => undefined
        : createUserSpaces({ folders, executions: options.executions, maxBytes: userDiskBytes, sessionsOf }),
  };
  const sessions = createSessions(parts, options);
  return {
    sessions,
    spaceFor: parts.spaceFor,
    isNew: (id) => hasNoEntries(folders.session(id)),
    async open({ userId, sessionId, createSession = false }, executionId, quota) {
      const owner = checkedName('userId', userId);
      const space = parts.spaceFor(owner);
      await space?.check();
      if (sessionId === undefined) {
        const workspace = parts.workspaces.ofExecution(executionId, quota, space);
        return { workspace, mounts: { workspace }, userId: owner, space, isNew: false, record: async () => undefined };
      }
      const find = createSession ? parts.lookup.findOrCreate : parts.lookup.find;
      return openSession(await find(sessionId, owner), parts, quota);
    },
  };
}

async function openSession(
  session: Session,
  { folders, workspaces, logFiles, spaceFor }: SessionParts,
  quota: Quota,
): Promise<OpenSession> {
  const folder = folders.session(session.id);
  await touchSession(folder);
  const isNew = await hasNoEntries(folder);
  const space = spaceFor(session.userId);
  const workspace = workspaces.ofSession(session, quota, space);
  return {
    workspace,
    mounts: { workspace, session: logFiles(session) },
    userId: session.userId,
    space,
    isNew,
    async record(entry) {
      await appendEntry(folder, entry);
      await touchSession(folder);
    },
  };
}

function createSessions(
  { folders, workspaces, lookup, logFiles, spaceFor }: SessionParts,
  { quota, onRemove, ...stores }: SessionStoreOptions,
): Sessions {
  /** The user of each session, which never changes. A list thus reads no session of other users twice. */
  const owners = new Map<string, string>();
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
    async list({ userId, limit, before } = {}) {
      const owner = checkedName('userId', userId);
      const found: Session[] = [];
      const names = (await readdir(folders.sessions).catch(() => [])).filter(isSessionId);
      for (const name of names) {
        if ((owners.get(name) ?? owner) !== owner) continue;
        const session = await readSession(folders.session(name), name);
        if (session) owners.set(name, session.userId);
        if (session?.userId === owner) found.push(session);
      }
      if (owners.size > names.length) forgetRemoved(owners, names);
      found.sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1));
      const start = before === undefined ? 0 : found.findIndex(({ id }) => id === before) + 1;
      return before !== undefined && start === 0
        ? []
        : found.slice(start, limit === undefined ? undefined : start + limit);
    },
    async log(id, { userId } = {}) {
      const session = await find(id, userId);
      return sessionEntries(stores, session);
    },
    async files(id, { userId } = {}) {
      const session = await find(id, userId);
      await touchSession(folders.session(session.id));
      const workspace = workspaces.ofSession(session, quota, spaceFor(session.userId));
      return mountFiles({ workspace, session: logFiles(session) });
    },
    async remove(id, { userId } = {}) {
      const session = await find(id, userId);
      await onRemove?.(session);
      // After the renaming, nobody finds the session, however long the deletion takes.
      const removed = `${folders.session(session.id)}.${randomUUID()}`;
      await rename(folders.session(session.id), removed);
      spaceFor(session.userId)?.add(-spaceOf(await measure(dirname(removed), basename(removed))));
      await removeTree(dirname(removed), basename(removed));
    },
  };
}

function forgetRemoved(owners: Map<string, string>, names: readonly string[]): void {
  const existing = new Set(names);
  for (const id of owners.keys()) if (!existing.has(id)) owners.delete(id);
}
