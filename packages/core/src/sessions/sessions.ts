import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type DataFolder, dataFolder, isSessionId } from '../journal/data-folder.ts';
import type { Files } from '../workspaces/files.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import type { Quota } from '../workspaces/shared-state.ts';
import { removeTree } from '../workspaces/tree.ts';
import { sessionFiles } from './files.ts';
import { appendEntry, hasNoEntries, readEntries } from './log.ts';
import { checkedName, createSessionLookup, type SessionLookup } from './lookup.ts';
import { mintSessionId, readSession, touchSession } from './record.ts';
import type { OpenSession, Session, SessionStore, Sessions } from './session.ts';
import { createSessionWorkspaces, type SessionWorkspaces } from './workspaces.ts';

export interface SessionStoreOptions {
  readonly dataDir: string;
  /** Quota of the files that the host itself writes. */
  readonly quota: Quota;
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
  readonly logFiles: (id: string) => Files;
}

/** Opens the sessions in `<dataDir>/sessions`. Files of executions without a session are next to their journals. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const folders = dataFolder(options.dataDir);
  const parts: SessionParts = {
    folders,
    workspaces: createSessionWorkspaces(folders),
    lookup: createSessionLookup(folders, options.customer),
    logFiles: (id) => sessionFiles(id, () => readEntries(folders.session(id))),
  };
  return {
    sessions: createSessions(parts, options),
    isNew: (id) => hasNoEntries(folders.session(id)),
    async open({ userId, sessionId, createSession = false }, executionId, quota) {
      const owner = checkedName('userId', userId);
      if (sessionId === undefined) {
        const workspace = parts.workspaces.ofExecution(executionId, quota);
        return { workspace, mounts: { workspace }, userId: owner, isNew: false, record: async () => undefined };
      }
      const find = createSession ? parts.lookup.findOrCreate : parts.lookup.find;
      return openSession(await find(sessionId, owner), parts, quota);
    },
  };
}

async function openSession(
  session: Session,
  { folders, workspaces, logFiles }: SessionParts,
  quota: Quota,
): Promise<OpenSession> {
  const folder = folders.session(session.id);
  await touchSession(folder);
  const isNew = await hasNoEntries(folder);
  const workspace = workspaces.ofSession(session, quota);
  return {
    workspace,
    mounts: { workspace, session: logFiles(session.id) },
    userId: session.userId,
    isNew,
    async record(entry) {
      await appendEntry(folder, entry);
      await touchSession(folder);
    },
  };
}

function createSessions(
  { folders, workspaces, lookup, logFiles }: SessionParts,
  { quota, onRemove }: SessionStoreOptions,
): Sessions {
  const find = async (id: string, userId: string | undefined) => lookup.find(id, checkedName('userId', userId));
  return {
    create: async ({ userId, customer } = {}) =>
      lookup.create(
        mintSessionId(),
        checkedName('userId', userId),
        customer === undefined ? undefined : checkedName('customer', customer),
      ),
    get: (id, { userId } = {}) => find(id, userId),
    async list({ userId } = {}) {
      const owner = checkedName('userId', userId);
      const found: Session[] = [];
      for (const name of await readdir(folders.sessions).catch(() => [])) {
        const session = isSessionId(name) ? await readSession(folders.session(name), name) : undefined;
        if (session?.userId === owner) found.push(session);
      }
      return found.sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1));
    },
    async log(id, { userId } = {}) {
      const session = await find(id, userId);
      return readEntries(folders.session(session.id));
    },
    async files(id, { userId } = {}) {
      const session = await find(id, userId);
      await touchSession(folders.session(session.id));
      return mountFiles({ workspace: workspaces.ofSession(session, quota), session: logFiles(session.id) });
    },
    async remove(id, { userId } = {}) {
      const session = await find(id, userId);
      await onRemove?.(session);
      // After the renaming, nobody finds the session, however long the deletion takes.
      const removed = `${folders.session(session.id)}.${randomUUID()}`;
      await rename(folders.session(session.id), removed);
      await removeTree(dirname(removed), basename(removed));
    },
  };
}
