import { randomBytes } from 'node:crypto';
import { isSessionId } from '@toolwright/storage/internal';
import { ToolwrightError } from '../errors.ts';
import type { SessionRecords } from './records/records.ts';
import type { Session } from './session.ts';

/** Finds and creates sessions by id. */
export interface SessionLookup {
  /** Returns a user's session. Raises `UNKNOWN_SESSION`. */
  find(id: string, userId: string): Promise<Session>;
  /** Creates a session. Raises `CONFIG_INVALID` when the data folder cannot be written to. */
  create(id: string, userId: string, customer?: string): Promise<Session>;
  /** Returns the user's session of that id, or creates it. Raises `CONFIG_INVALID` for a malformed id. */
  findOrCreate(id: string, userId: string): Promise<Session>;
}

const ID_CHARACTERS = 26;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns a new random id. It has lower-case letters only, for disks that ignore case. */
export function mintSessionId(): string {
  return [...randomBytes(ID_CHARACTERS)].map((byte) => ALPHABET[byte & 31]).join('');
}

/** Creates the lookup of sessions. `defaultCustomer` is the customer of sessions that are created without one. */
export function createSessionLookup(records: SessionRecords, defaultCustomer: string | undefined): SessionLookup {
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
