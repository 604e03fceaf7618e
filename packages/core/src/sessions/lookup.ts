import { ToolwrightError } from '../errors.ts';
import { type DataFolder, dataFolderError, isSessionId } from '../journal/data-folder.ts';
import { createSessionFolder, readSession } from './record.ts';
import { DEFAULT_USER, type Session } from './session.ts';

/** Finds and creates sessions by id. */
export interface SessionLookup {
  /** Returns a user's session. Raises `UNKNOWN_SESSION`. */
  find(id: string, userId: string): Promise<Session>;
  /** Creates a session. Raises `CONFIG_INVALID` when the data folder cannot be written to. */
  create(id: string, userId: string, customer?: string): Promise<Session>;
  /** Returns the user's session of that id, or creates it. Raises `CONFIG_INVALID` for a malformed id. */
  findOrCreate(id: string, userId: string): Promise<Session>;
}

/** Characters of a user or customer. */
const MAX_NAME_CHARACTERS = 256;

/** Creates the lookup of a data folder. `defaultCustomer` is the customer of sessions that are created without one. */
export function createSessionLookup(folders: DataFolder, defaultCustomer: string | undefined): SessionLookup {
  const find = async (id: string, userId: string): Promise<Session> => {
    const session = isSessionId(id) ? await readSession(folders.session(id), id) : undefined;
    if (session?.userId === userId) return session;
    const shown = JSON.stringify(String(id).slice(0, 64));
    throw new ToolwrightError('UNKNOWN_SESSION', `There is no session ${shown}. Create one, or run without a session.`);
  };
  const create = async (id: string, userId: string, customer = defaultCustomer): Promise<Session> => {
    const createdAt = new Date().toISOString();
    const session = { id, userId, ...(customer === undefined ? {} : { customer }), createdAt };
    const isNew = await createSessionFolder(folders.session(id), session).catch((cause: unknown) => {
      throw dataFolderError(folders.sessions, cause);
    });
    if (isNew) return { ...session, lastUsedAt: createdAt };
    // Another process was faster; its session may belong to another user.
    if (await readSession(folders.session(id), id)) return find(id, userId);
    const message = `${folders.session(id)} exists and has no readable session.json. Move it away, or choose another id.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  };
  return {
    find,
    create,
    async findOrCreate(id, userId) {
      if (!isSessionId(id)) {
        throw new ToolwrightError('CONFIG_INVALID', 'A session id must have 1 to 64 letters, digits, "-" and "_".');
      }
      return (await readSession(folders.session(id), id)) ? find(id, userId) : create(id, userId);
    },
  };
}

/** Returns the name of a user or customer, `local` by default. Raises `CONFIG_INVALID` for anything but a text of 1 to 256 characters. */
export function checkedName(option: 'userId' | 'customer', name: unknown = DEFAULT_USER): string {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARACTERS) return name;
  throw new ToolwrightError('CONFIG_INVALID', `${option} must be a text of 1 to ${MAX_NAME_CHARACTERS} characters.`);
}
