import type { Toolwright, ToolwrightError } from '@toolwright/core';
import { errorResponse, type ToolResponse } from '../agent/tool-response.ts';
import type { ToolName } from './definitions.ts';
import { NEW_SESSION } from './sessions.ts';

/** Tools whose answers are about tools: examples in them are nobody's data, but what the user's programs have seen is. */
const ABOUT_TOOLS: ReadonlySet<ToolName> = new Set(['search_tools', 'get_tool_definition']);

/**
 * The one place that every answer passes on its way to a model: personal data becomes placeholders of the session that the
 * arguments name, or of the user's calls without one. What an execution answers has passed its own guard. Rejects when
 * that is not certain: the answer is not told then.
 */
export async function redactResponse(
  { text, structured, ...rest }: ToolResponse,
  name: ToolName,
  pii: Toolwright['pii'],
  { user, session }: { readonly user: string; readonly session?: unknown },
): Promise<ToolResponse> {
  if (name === 'execute_code') return { text, structured, ...rest };
  const seen = await pii.redact(
    { text, structured },
    { userId: user, ...named(session), detect: !ABOUT_TOOLS.has(name) },
  );
  return { ...seen, ...rest };
}

/** An error as {@link redactResponse} tells an answer: it may name what a program sent, or what stands in a file. */
export async function redactError(
  error: ToolwrightError,
  pii: Toolwright['pii'],
  { user, session }: { readonly user: string; readonly session?: unknown },
): Promise<ToolResponse> {
  const { text, structured, ...rest } = errorResponse(error);
  // There are no values of a session that is not there.
  const whose = error.code === 'UNKNOWN_SESSION' ? {} : named(session);
  return { ...(await pii.redact({ text, structured }, { userId: user, ...whose })), ...rest };
}

function named(session: unknown): { readonly sessionId?: string } {
  return typeof session === 'string' && session !== NEW_SESSION ? { sessionId: session } : {};
}
