import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ToolResponse } from '../agent/loop/tool-response.ts';
import type { Caller, Handler } from './call.ts';
import { executeCode } from './execution.ts';
import { listWorkspaceFiles, readWorkspaceFile, writeWorkspaceFile } from './sessions/workspaces.ts';
import { listSkills, loadSkill, saveSkill } from './skills/skills.ts';
import { getToolDefinition, searchTools } from './tools/catalog.ts';
import type { ToolName } from './tools/definitions.ts';
import { executionStats } from './usage/stats.ts';

interface TextOfSession {
  readonly text: string;
  readonly sessionId?: string;
}

/** The name of the question to the client. */
const SHOWN = 'shown';
/** The question has no fields: its only answer is "seen". */
const NO_FIELDS = { type: 'object' as const, properties: {} };

/** The handler of each tool of the MCP server. */
export const HANDLERS: Readonly<Record<ToolName, Handler>> = {
  execute_code: executeCode,
  search_tools: searchTools,
  get_tool_definition: getToolDefinition,
  save_skill: saveSkill,
  load_skill: loadSkill,
  list_skills: listSkills,
  sanitize_pii: sanitizePii,
  restore_pii: restorePii,
  write_workspace_file: writeWorkspaceFile,
  read_workspace_file: readWorkspaceFile,
  list_workspace_files: listWorkspaceFiles,
  get_execution_stats: executionStats,
};

/** Replaces the personal data in a text by placeholders. */
async function sanitizePii(
  { text, sessionId: session }: TextOfSession,
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const sanitized = await toolwright.pii.redact(text, { userId: user, sessionId: session });
  return { text: sanitized, structured: { text: sanitized } };
}

/**
 * Shows a text with its values restored to the user, in a dialog of the client. The model receives only whether the user
 * saw the text. Every shown value is audited.
 */
async function restorePii(
  { text, sessionId: session }: TextOfSession,
  { toolwright, user }: Caller,
  { mcpReq }: ServerContext,
): Promise<ToolResponse | InputRequiredResult> {
  const response = inputResponse(mcpReq.inputResponses, SHOWN);
  if (response.kind === 'elicit') {
    const shown = response.action === 'accept';
    return { text: shown ? 'The user has seen it.' : 'The user declined to see it.', structured: { shown } };
  }
  const message = await toolwright.pii.show(text, { userId: user, sessionId: session, reader: 'user' });
  return inputRequired({ inputRequests: { [SHOWN]: inputRequired.elicit({ message, requestedSchema: NO_FIELDS }) } });
}
