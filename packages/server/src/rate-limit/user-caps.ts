import type { Toolwright } from '@toolwright/core';
import { capError } from './quota-error.ts';

/** The most sessions of one user. */
export const MAX_SESSIONS_PER_USER = 1_000;
/** The most open event streams of one user. */
export const MAX_STREAMS_PER_USER = 64;

const SESSIONS_FIX = 'Remove sessions: DELETE /sessions/{id}, or "toolwright sessions remove ID".';
const STREAMS_FIX = 'Close a stream, and continue it later with Last-Event-ID.';

const capped = new WeakMap<Toolwright['sessions'], Toolwright['sessions']>();

/**
 * Returns the sessions, of which a user may create a limited number. `create` raises `QUOTA_EXCEEDED` at the limit. HTTP, MCP and
 * tasks share the result for the same sessions, so that creations of all of them are counted together.
 */
export function withSessionCap(sessions: Toolwright['sessions']): Toolwright['sessions'] {
  const known = capped.get(sessions) ?? capSessions(sessions, MAX_SESSIONS_PER_USER);
  capped.set(sessions, known);
  return known;
}

function capSessions(sessions: Toolwright['sessions'], max: number): Toolwright['sessions'] {
  /** The last creation of each user. Creations of one user run one after the other, so that all of them are counted. */
  const last = new Map<string, Promise<unknown>>();
  return {
    ...sessions,
    create(options = {}) {
      const user = options.userId ?? '';
      const creation = (last.get(user) ?? Promise.resolve()).then(async () => {
        const own = await sessions.list({ userId: options.userId, limit: max });
        if (own.length >= max) throw capError('sessions', max, SESSIONS_FIX);
        return sessions.create(options);
      });
      const ended: Promise<void> = creation
        .catch(() => undefined)
        .then(() => {
          if (last.get(user) === ended) last.delete(user);
        });
      last.set(user, ended);
      return creation;
    },
  };
}

/** Counts the open event streams of users. */
export interface StreamPlaces {
  /** Takes a place. Returns a function that frees it. Raises `QUOTA_EXCEEDED` at the limit. */
  enter(user: string): () => void;
}

/** Creates the places for event streams. */
export function createStreamPlaces(max = MAX_STREAMS_PER_USER): StreamPlaces {
  const open = new Map<string, number>();
  return {
    enter(user) {
      const own = open.get(user) ?? 0;
      if (own >= max) throw capError('streams', max, STREAMS_FIX);
      open.set(user, own + 1);
      return () => {
        const left = (open.get(user) ?? 0) - 1;
        if (left > 0) open.set(user, left);
        else open.delete(user);
      };
    },
  };
}
