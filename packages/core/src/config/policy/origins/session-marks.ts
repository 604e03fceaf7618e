import { createHash } from 'node:crypto';
import type { Store } from '@toolwright/storage';
import type { Source } from './readers.ts';

/** A session of a user. */
export interface MarkedSession {
  readonly userId: string;
  readonly sessionId: string;
}

/** Marks of the data that the author of the programs of a session may have seen. Durable as the store is. All methods raise `STORE_UNAVAILABLE`. */
export interface SessionMarks {
  /**
   * Returns whether public data cannot have reached the author of the next program. Only sessions that were followed from their first
   * program on are known.
   */
  isClean(session: MarkedSession, isNew: boolean): Promise<boolean>;
  /** Notes that public data was seen, before anybody receives it. */
  noteSeen(session: MarkedSession): Promise<void>;
  /** Returns the tools with followed data that was seen in a session, or in any session of a user. */
  sourcesOf(place: SeenPlace): Promise<readonly Source[]>;
  /** Notes that data of a followed tool was seen, before anybody receives it. */
  noteSource(place: SeenPlace, source: Source): Promise<void>;
}

/** A session, or without one all sessions of a user. */
export interface SeenPlace {
  readonly userId: string;
  readonly sessionId?: string | undefined;
}

const FOLLOWED = 'followed';
const SEEN = 'seen';
const SOURCE = 'data:';

/** Opens the marks of sessions in a store. */
export function openSessionMarks(store: Store): SessionMarks {
  return {
    async isClean(session, isNew) {
      const space = spaceOf(session);
      const [followed, seen] = await store.get(space, [FOLLOWED, SEEN]);
      if (seen !== undefined || (followed === undefined && !isNew)) return false;
      if (followed === undefined) await store.increment(space, { [FOLLOWED]: 1 });
      return true;
    },
    async noteSeen(session) {
      await store.increment(spaceOf(session), { [SEEN]: 1 });
    },
    async sourcesOf(place) {
      const found = new Map<string, Source>();
      for await (const page of store.list(spaceOf(place))) {
        for (const { key, value } of page) {
          if (!key.startsWith(SOURCE)) continue;
          const id = key.slice(SOURCE.length);
          found.set(id, { id, server: value.toString('utf8') });
        }
      }
      return [...found.values()];
    },
    async noteSource(place, { id, server }) {
      await store.put(spaceOf(place), [{ key: SOURCE + id, value: server }]);
    },
  };
}

function spaceOf({ userId, sessionId }: SeenPlace): string {
  const code = createHash('sha256')
    .update(JSON.stringify(sessionId === undefined ? [userId] : [userId, sessionId]))
    .digest('base64url');
  return `origins:${code}`;
}
