import { ToolwrightError } from '../errors.ts';
import type { Executions } from '../execution/executions.ts';
import type { LoginOwner } from './login.ts';

/** Executions whose questions are looked at after one login. */
const MAX_EXECUTIONS = 1_000;

/** Decides the open questions of a user that wait for a login to a server, in all executions of the data folder. */
export async function decideLogins(
  { list, questions, decide }: Executions,
  { server, userId }: LoginOwner,
): Promise<void> {
  let cursor: string | undefined;
  let seen = 0;
  do {
    const page = await list({ userId, cursor });
    const waiting = page.executions.filter(({ status }) => status === 'suspended' || status === 'running');
    for (const { id } of waiting) {
      for (const { call, kind, binding, details } of await questions(id, userId)) {
        if (kind !== 'authorization' || Object(details).server !== server) continue;
        await decide(id, { userId, action: 'authorize', calls: [call], bindings: [binding], by: 'login' }).catch(
          ignoreLate,
        );
      }
    }
    seen += page.executions.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && seen < MAX_EXECUTIONS);
}

/** Another login may have decided the question, and its execution may have ended. */
function ignoreLate(error: unknown): void {
  const codes = ['ALREADY_DECIDED', 'EXECUTION_ENDED', 'QUESTION_CHANGED', 'UNKNOWN_EXECUTION'];
  if (!(error instanceof ToolwrightError) || !codes.includes(error.code)) throw error;
}
