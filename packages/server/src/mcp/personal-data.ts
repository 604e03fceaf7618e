import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ToolResponse } from '../agent/tool-response.ts';
import type { Caller } from './call.ts';

interface TextOfSession {
  readonly text: string;
  readonly session?: string;
}

/** What we ask the client under this name. */
const SHOWN = 'shown';
/** A question that wants no answer but "seen". */
const NO_FIELDS = { type: 'object' as const, properties: {} };

/** Puts placeholders in the place of personal data in a text. */
export async function sanitizePii(
  { text, session }: TextOfSession,
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const sanitized = await toolwright.pii.redact(text, { userId: user, sessionId: session });
  return { text: sanitized, structured: { text: sanitized } };
}

/**
 * Shows the values behind placeholders to the user, by the client's own dialog: the model is told only that they were.
 * Each value that is shown is audited.
 */
export async function restorePii(
  { text, session }: TextOfSession,
  { toolwright, user }: Caller,
  { mcpReq }: ServerContext,
): Promise<ToolResponse | InputRequiredResult> {
  const response = inputResponse(mcpReq.inputResponses, SHOWN);
  if (response.kind === 'elicit') {
    const shown = response.action === 'accept';
    return { text: shown ? 'The user has seen it.' : 'The user did not look at it.', structured: { shown } };
  }
  const message = await toolwright.pii.restore(text, { userId: user, sessionId: session, reader: 'user' });
  return inputRequired({ inputRequests: { [SHOWN]: inputRequired.elicit({ message, requestedSchema: NO_FIELDS }) } });
}
