import type { Caller } from './call.ts';

/** What a client says to get a fresh session. */
export const NEW_SESSION = 'new';

/** The handle that a client's word for a session stands for; a fresh one for `new`. Raises `UNKNOWN_SESSION`. */
export async function sessionId(
  word: string,
  { toolwright, user }: Pick<Caller, 'toolwright' | 'user'>,
): Promise<string> {
  const { sessions } = toolwright;
  const { id } = await (word === NEW_SESSION
    ? sessions.create({ userId: user })
    : sessions.get(word, { userId: user }));
  return id;
}
