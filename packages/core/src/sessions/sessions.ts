import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { dataFolder, dataFolderError, isSessionId } from '../journal/data-folder.ts';
import type { Files } from '../workspaces/files.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import type { Quota } from '../workspaces/shared-state.ts';
import { removeTree } from '../workspaces/tree.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { sessionFiles } from './files.ts';
import type { SessionEntry } from './log.ts';
import { appendEntry, hasNoEntries, readEntries } from './log.ts';
import { createSessionFolder, mintSessionId, readSession, type Session, touchSession } from './record.ts';
import { createSessionWorkspaces } from './workspaces.ts';

/** Whose sessions are meant: `local` when nobody says otherwise. */
export interface SessionOwner {
  readonly user?: string | undefined;
}

/**
 * The sessions of a data folder. Each belongs to one user: to another one it is not there. All but `create` and `list`
 * raise `UNKNOWN_SESSION` for an id that is missing, malformed or another user's, in the same words.
 */
export interface Sessions {
  /** Makes a session with an id that nobody can guess. With a `customer` it shares the `/workspace` of that customer's sessions. */
  create(options?: SessionOwner & { readonly customer?: string | undefined }): Promise<Session>;
  get(id: string, owner?: SessionOwner): Promise<Session>;
  /** The user's sessions, last used first. */
  list(owner?: SessionOwner): Promise<readonly Session[]>;
  /** What ran in a session, oldest first; the newest 1,000 executions at most. */
  log(id: string, owner?: SessionOwner): Promise<readonly SessionEntry[]>;
  /** The files of a session by the paths of its guests: `/workspace`, and `/session` for reading. Quotas are those of the Toolwright. */
  files(id: string, owner?: SessionOwner): Promise<Files>;
  /** Deletes a session with its files and its log; what runs in it loses them. A customer's files stay. */
  remove(id: string, owner?: SessionOwner): Promise<void>;
}

/** Whose execution it is, and which session it continues. */
export interface Caller {
  readonly user: string | undefined;
  readonly session?: string | undefined;
  /** Makes the session when there is none of that id. */
  readonly createSession?: boolean | undefined;
}

/** What one execution gets. */
export interface Visit {
  /** `/workspace`: the session's, or of the execution alone when no session is named. */
  readonly workspace: Workspace;
  /** It, and of a session `/session`. */
  readonly mounts: Readonly<Record<string, Files>>;
  readonly user: string;
  /** Nothing has run in this session before. */
  readonly isNew: boolean;
  /** Takes what the session's log keeps of the execution. */
  record(entry: SessionEntry): Promise<void>;
}

export interface SessionStore {
  readonly sessions: Sessions;
  /** Opens what an execution sees. Raises `UNKNOWN_SESSION`, and `CONFIG_INVALID` for a bad id that is to be made. */
  enter(caller: Caller, execution: string, quota: Quota): Promise<Visit>;
  /** Tells whether nothing has run in a session yet. */
  isNew(id: string): Promise<boolean>;
}

export interface SessionStoreOptions {
  readonly dataDir: string;
  /** Quota of the files that the host itself writes. */
  readonly quota: Quota;
  /** Customer of sessions that are made without one. */
  readonly customer?: string | undefined;
  /** Ends what is kept of a session elsewhere, before its files go. */
  readonly onRemove?: (session: Session) => Promise<void>;
}

/** Whose executions, sessions and skills are meant when nobody says. */
export const DEFAULT_USER = 'local';
const MAX_NAME_CHARACTERS = 256;

/** Keeps sessions under `<dataDir>/sessions`, files of single executions beside their ledgers. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const folders = dataFolder(options.dataDir);
  const workspaces = createSessionWorkspaces(folders);
  const logFiles = (id: string) => sessionFiles(id, () => readEntries(folders.session(id)));

  const find = async (id: string, user: string): Promise<Session> => {
    const session = isSessionId(id) ? await readSession(folders.session(id), id) : undefined;
    if (session?.user === user) return session;
    const message = `There is no session ${JSON.stringify(String(id).slice(0, 64))}. Create one, or run without a session.`;
    throw new ToolwrightError('UNKNOWN_SESSION', message);
  };
  const make = async (id: string, user: string, customer = options.customer): Promise<Session> => {
    const createdAt = new Date().toISOString();
    const session = { id, user, ...(customer === undefined ? {} : { customer }), createdAt };
    const isNew = await createSessionFolder(folders.session(id), session).catch((cause: unknown) => {
      throw dataFolderError(cause);
    });
    if (isNew) return { ...session, lastUsedAt: createdAt };
    if (await readSession(folders.session(id), id)) return find(id, user);
    const message = `${folders.session(id)} is there and holds no readable session.json. Move it away, or take another id.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  };
  const findOrMake = async (id: string, user: string): Promise<Session> => {
    if (!isSessionId(id)) {
      throw new ToolwrightError('CONFIG_INVALID', 'A session id has 1 to 64 letters, digits, "-" and "_".');
    }
    return (await readSession(folders.session(id), id)) ? find(id, user) : make(id, user);
  };

  return {
    sessions: {
      create: async ({ user, customer } = {}) =>
        make(mintSessionId(), nameOf('user', user), customer === undefined ? customer : nameOf('customer', customer)),
      get: async (id, { user } = {}) => find(id, nameOf('user', user)),
      async list({ user } = {}) {
        const owner = nameOf('user', user);
        const found: Session[] = [];
        for (const name of await readdir(folders.sessions).catch(() => [])) {
          const session = isSessionId(name) ? await readSession(folders.session(name), name) : undefined;
          if (session?.user === owner) found.push(session);
        }
        return found.sort((a, b) => (a.lastUsedAt < b.lastUsedAt ? 1 : -1));
      },
      log: async (id, { user } = {}) => readEntries(folders.session((await find(id, nameOf('user', user))).id)),
      async files(id, { user } = {}) {
        const session = await find(id, nameOf('user', user));
        await touchSession(folders.session(id));
        return mountFiles({
          workspace: workspaces.ofSession(session, options.quota),
          session: logFiles(id),
        });
      },
      async remove(id, { user } = {}) {
        const session = await find(id, nameOf('user', user));
        await options.onRemove?.(session);
        // From the moment of its renaming on it is gone for everybody, however long the deleting takes.
        const doomed = `${folders.session(session.id)}.${randomUUID()}`;
        await rename(folders.session(session.id), doomed);
        await removeTree(dirname(doomed), basename(doomed));
      },
    },
    isNew: (id) => hasNoEntries(folders.session(id)),
    async enter({ user, session: id, createSession = false }, execution, quota) {
      const owner = nameOf('user', user);
      const session = id === undefined ? undefined : await (createSession ? findOrMake : find)(id, owner);
      if (!session) {
        const workspace = workspaces.ofExecution(execution, quota);
        return { workspace, mounts: { workspace }, user: owner, isNew: false, record: async () => undefined };
      }
      const folder = folders.session(session.id);
      await touchSession(folder);
      const isNew = await hasNoEntries(folder);
      const workspace = workspaces.ofSession(session, quota);
      return {
        workspace,
        mounts: { workspace, session: logFiles(session.id) },
        user: owner,
        isNew,
        async record(entry) {
          await appendEntry(folder, entry);
          await touchSession(folder);
        },
      };
    },
  };
}

function nameOf(kind: string, name: unknown = DEFAULT_USER): string {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARACTERS) return name;
  const message = `A ${kind} is a text of 1 to ${MAX_NAME_CHARACTERS} characters.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
