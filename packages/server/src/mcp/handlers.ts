import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { readDetailLevel } from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { queriesOf } from '../agent/loop/look-up.ts';
import { executionResponse, openQuestionsResponse, type ToolResponse } from '../agent/loop/tool-response.ts';
import type { Caller, Handler } from './call.ts';
import { executeCode } from './execution.ts';
import { listWorkspaceFiles, readWorkspaceFile, writeWorkspaceFile } from './sessions/workspaces.ts';
import { listSkills, loadSkill, saveSkill } from './skills/skills.ts';
import type { ToolName } from './tools/definitions.ts';

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

export interface SearchArguments {
  /** One query per line. */
  readonly query: string;
  readonly server?: string;
  readonly category?: string;
  /** `names`, `summary` or `full`. */
  readonly detail_level?: string;
  readonly limit?: number;
  readonly language?: LanguageName;
}

/** Searches tools and skills. */
export async function searchTools(
  { query, detail_level, ...options }: SearchArguments,
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const detailLevel = readDetailLevel(detail_level);
  const { hits, note, text } = await toolwright.search(queriesOf(query), { ...options, detailLevel, userId: user });
  const lines = hits.map(({ id, signature, description, definition = signature }) => {
    if (detailLevel === 'names') return id;
    return detailLevel === 'full' || description === '' ? definition : `${signature}  ${description}`;
  });
  return { text, structured: { hits: lines, note } };
}

/** Returns the full declaration of one tool. */
export async function getToolDefinition(
  { name, ...options }: { readonly name: string; readonly category?: string; readonly language?: LanguageName },
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const definition = await toolwright.describe(name, 'docs', { ...options, userId: user });
  return { text: definition, structured: { definition } };
}

interface StatsArguments {
  readonly sessionId?: string;
  readonly executionId?: string;
}

/**
 * Returns the costs of the user's executions: since the start of the server, or in a cluster those of the last 30 days. With the id of an execution, returns its result or its
 * status: a model asks so for the result of one that was suspended.
 */
export async function executionStats(
  { sessionId, executionId }: StatsArguments,
  caller: Caller,
): Promise<ToolResponse> {
  if (executionId !== undefined) return responseOf(executionId, caller);
  const costs = await caller.usage.of(caller.user, sessionId);
  return { text: JSON.stringify(costs), structured: { ...costs } };
}

async function responseOf(executionId: string, { toolwright: { executions }, user }: Caller): Promise<ToolResponse> {
  const { status, result, sessionId } = await executions.get(executionId, user);
  if (result) return executionResponse(result, sessionId === undefined ? undefined : { id: sessionId, isNew: true });
  if (status === 'suspended') {
    return openQuestionsResponse(executionId, await executions.questions(executionId, user), sessionId);
  }
  return {
    text: `Execution ${executionId} has no result: its status is "${status}".`,
    structured: { executionId, status },
  };
}
