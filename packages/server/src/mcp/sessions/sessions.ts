import type { Caller } from '../call.ts';

/** The id that requests a new session. */
export const NEW_SESSION = 'new';

/** Returns the id of an existing session, or of a new one for `new`. Raises `UNKNOWN_SESSION`. */
export async function openSession(requested: string, { toolwright, user }: Caller): Promise<string> {
  const { sessions } = toolwright;
  const { id } = await (requested === NEW_SESSION
    ? sessions.create({ userId: user })
    : sessions.get(requested, { userId: user }));
  return id;
}
