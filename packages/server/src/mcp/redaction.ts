import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { errorResponse, type ToolResponse } from '../agent/loop/tool-response.ts';
import { NEW_SESSION } from './sessions/sessions.ts';
import type { ToolName } from './tools/definitions.ts';

/**
 * Redacts the response of a tool before a model receives it. Placeholders belong to the session in the arguments, or to the
 * user's calls without a session. The execution itself has already redacted responses of `execute_code`. Rejects when the
 * redaction fails, so that no unredacted response reaches the client.
 */
export async function redactResponse(
  { text, structured, ...rest }: ToolResponse,
  name: ToolName,
  pii: Toolwright['pii'],
  { user, session }: { readonly user: string; readonly session?: unknown },
): Promise<ToolResponse> {
  if (name === 'execute_code') return { text, structured, ...rest };
  return { ...(await pii.redact({ text, structured }, { userId: user, ...named(session) })), ...rest };
}

/** Redacts an error like {@link redactResponse}: its message may contain values of a program or a file. */
export async function redactError(
  error: ToolwrightError,
  pii: Toolwright['pii'],
  { user, session }: { readonly user: string; readonly session?: unknown },
): Promise<ToolResponse> {
  const { text, structured, ...rest } = errorResponse(error);
  // An unknown session has no vault.
  const sessionRef = error.code === 'UNKNOWN_SESSION' ? {} : named(session);
  return { ...(await pii.redact({ text, structured }, { userId: user, ...sessionRef })), ...rest };
}

function named(session: unknown): { readonly sessionId?: string } {
  return typeof session === 'string' && session !== NEW_SESSION ? { sessionId: session } : {};
}

/**
 * Reads a text about tools and servers, and redacts it for a model: an upstream server wrote parts of it. An error of the read is
 * redacted too. Rejects when the redaction fails.
 */
export async function redactedText(
  read: () => Promise<string>,
  pii: Toolwright['pii'],
  user?: string,
  sessionId?: string,
): Promise<string> {
  const owner = { userId: user, sessionId };
  try {
    return await pii.redact(await read(), owner);
  } catch (error) {
    if (!(error instanceof ToolwrightError)) throw error;
    throw new ToolwrightError(error.code, await pii.redact(error.message, owner));
  }
}
