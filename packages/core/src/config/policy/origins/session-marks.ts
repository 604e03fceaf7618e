import { createHash } from 'node:crypto';
import type { Store } from '../../../stores/store.ts';

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
}

const FOLLOWED = 'followed';
const SEEN = 'seen';

/** Opens the marks of sessions in a store. */
export function openSessionMarks(store: Pick<Store, 'get' | 'increment'>): SessionMarks {
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
  };
}

function spaceOf({ userId, sessionId }: MarkedSession): string {
  const code = createHash('sha256')
    .update(JSON.stringify([userId, sessionId]))
    .digest('base64url');
  return `origins:${code}`;
}
