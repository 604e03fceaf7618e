import type { SessionRef } from '@toolwright/pii';
import type { Redactor, Redactors } from '@toolwright/pii/internal';
import { ToolwrightError } from '../errors.ts';
import { DEFAULT_USER } from '../owner-name.ts';
import type { SessionStore } from './session.ts';

/** The redactors of existing sessions. */
export interface SessionRedactors {
  /** Returns the redactor of a session, or of the user's executions without a session. Raises `UNKNOWN_SESSION`. */
  of(owner?: SessionRef): Promise<Redactor>;
  /** Forgets a value of a session; see `PersonalData.forget`. Raises `UNKNOWN_SESSION`. */
  forget(value: string, owner?: SessionRef): Promise<number>;
  /** Forgets the values of a session that was removed while a program ran in it. */
  destroyIfRemoved(owner: SessionRef): Promise<void>;
}

/** Creates the redactors of the sessions in a store. */
export function createSessionRedactors(redactors: Redactors, { sessions, isNew }: SessionStore): SessionRedactors {
  return {
    async of({ userId: user = DEFAULT_USER, sessionId } = {}) {
      const session = sessionId === undefined ? undefined : await sessions.get(sessionId, { userId: user });
      return redactors.of({ user, session: session?.id }, session !== undefined && (await isNew(session.id)));
    },
    async forget(value, { userId: user = DEFAULT_USER, sessionId: session } = {}) {
      if (session !== undefined) await sessions.get(session, { userId: user });
      return redactors.forget(value, { user, session });
    },
    async destroyIfRemoved({ userId: user = DEFAULT_USER, sessionId: session }) {
      if (session === undefined) return;
      const isRemoved = await sessions.get(session, { userId: user }).then(
        () => false,
        (error: unknown) => error instanceof ToolwrightError && error.code === 'UNKNOWN_SESSION',
      );
      if (isRemoved) await redactors.destroy({ user, session });
    },
  };
}
