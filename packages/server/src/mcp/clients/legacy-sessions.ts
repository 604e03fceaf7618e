import { createHash } from 'node:crypto';
import { parseJson } from '@toolwright/connectors/internal';
import type { Store } from '@toolwright/core';
import * as z from 'zod';

/** Milliseconds without a request after which the session of a client ends. The next request of the client returns 404. */
export const IDLE_MS: number = 60 * 60 * 1000;

/** A session of a client, from which any process can continue it. */
export interface LegacySession {
  /** The owner who may use it; absent for the local user. */
  readonly user?: string | undefined;
  /** The `initialize` request of the client. */
  readonly initialize: object;
}

/** The sessions that all processes of a cluster share. All methods raise `STORE_UNAVAILABLE`. */
export interface LegacySessions {
  /** Stores a session. One with a very large request is not stored: other processes answer 404. */
  save(id: string, session: LegacySession): Promise<void>;
  find(id: string): Promise<LegacySession | undefined>;
  /** Extends a session. Returns false if it has ended. */
  touch(id: string): Promise<boolean>;
  end(id: string): Promise<void>;
}

const KEY = 'session';
const LIFETIME = { idleMs: IDLE_MS };
const MAX_CHARACTERS = 65_536;
const schema = z.object({ user: z.string().optional(), initialize: z.looseObject({}) });

/** Opens the sessions in a store. It has the hashes of their ids. */
export function storedSessions(store: Store): LegacySessions {
  return {
    async save(id, session) {
      const value = JSON.stringify(session);
      if (value.length <= MAX_CHARACTERS) await store.put(spaceOf(id), [{ key: KEY, value }], LIFETIME);
    },
    async find(id) {
      const [stored] = await store.get(spaceOf(id), [KEY]);
      return stored && schema.safeParse(parseJson(stored.toString())).data;
    },
    touch: (id) => store.touch(spaceOf(id), LIFETIME),
    end: (id) => store.delete(spaceOf(id)),
  };
}

function spaceOf(id: string): string {
  return `mcp-session:${createHash('sha256').update(id).digest('base64url')}`;
}
