import type { SessionEntry } from '../log.ts';
import type { Session, SessionPage } from '../session.ts';

/** A session without the time of its last use. */
export type SessionRecord = Omit<Session, 'lastUsedAt'>;

/**
 * The records and logs of sessions. Any number of processes use them at once. The callers check ids and owners. All methods raise
 * `STORE_UNAVAILABLE` while a database does not answer.
 */
export interface SessionRecords {
  /** Returns a session of any user. */
  find(id: string): Promise<Session | undefined>;
  /** Adds a session. Returns undefined if the id exists, also when another process was faster. Raises `CONFIG_INVALID`. */
  create(session: Omit<SessionRecord, 'createdAt'>): Promise<Session | undefined>;
  /** Returns the sessions of a user, last used first. */
  list(userId: string, page?: SessionPage): Promise<readonly Session[]>;
  /** Records a use, and returns whether no execution has ended in the session yet. A removed session stays removed. */
  touch(id: string): Promise<{ readonly isNew: boolean }>;
  /** Returns whether no execution has ended in the session yet. */
  isNew(id: string): Promise<boolean>;
  /** Adds an execution to the log, and records a use. Does nothing if the session was removed meanwhile. */
  append(id: string, entry: SessionEntry): Promise<void>;
  /** Returns the log, oldest first: the newest 1,000 entries at most, and 8 MB of them. */
  entries(id: string): Promise<SessionEntry[]>;
  /** Removes a session with its log, and returns the bytes on disk that are free now. A missing one is no error. */
  remove(id: string): Promise<number>;
  /** Returns the sessions of all users that nobody used for a time, in pages. */
  unused(ageMs: number): AsyncIterable<readonly Session[]>;
}
