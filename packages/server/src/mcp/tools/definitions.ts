import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { TOOL_PROFILES } from '@toolwright/core/command';
import { CORE, GET_TOOL_DEFINITION, LANGUAGE, TEXT, type ToolSpec } from '../../code-tools/definitions.ts';

/** The definition of one tool of the MCP server. */
interface Definition extends ToolSpec {
  readonly title: string;
  readonly annotations: ToolAnnotations;
  /** Facts for clients, which no model reads. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The names of the tools of the MCP server, in the order of the listing. */
export type ToolName =
  | 'execute_code'
  | 'search_tools'
  | 'get_tool_definition'
  | 'save_skill'
  | 'load_skill'
  | 'list_skills'
  | 'sanitize_pii'
  | 'restore_pii'
  | 'write_workspace_file'
  | 'read_workspace_file'
  | 'list_workspace_files'
  | 'get_execution_stats';

/** Claude Code shows a model only the names of other tools, and the model must search for them first. */
const SHOWN_AT_ONCE = { _meta: { 'anthropic/alwaysLoad': true } };
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/**
 * The definitions that clients list. Names, descriptions and input schemas cost a model tokens at every turn, so the schemas have
 * only the arguments that a model needs.
 */
export const DEFINITIONS: Readonly<Record<ToolName, Definition>> = {
  execute_code: {
    title: 'Run code',
    ...CORE.execute_code,
    ...SHOWN_AT_ONCE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  search_tools: { title: 'Find tools', ...CORE.search_tools, ...SHOWN_AT_ONCE, annotations: READS },
  get_tool_definition: { title: 'Show a tool', ...GET_TOOL_DEFINITION, annotations: READS },
  save_skill: {
    title: 'Save a skill',
    description: 'Saves code, or your last program, for run_skill.',
    inputSchema: {
      type: 'object',
      properties: { name: TEXT, description: TEXT, code: TEXT },
      required: ['name', 'description'],
    },
    accepts: { properties: { language: LANGUAGE } },
    annotations: WRITES,
  },
  load_skill: {
    title: 'Read a skill',
    description: 'Source of a skill.',
    inputSchema: { type: 'object', properties: { name: TEXT }, required: ['name'] },
    annotations: READS,
  },
  list_skills: {
    title: 'List skills',
    description: 'Lists skills.',
    inputSchema: { type: 'object' },
    accepts: { properties: { query: TEXT } },
    annotations: READS,
  },
  sanitize_pii: {
    title: 'Hide personal data',
    description: 'Hides personal data.',
    inputSchema: { type: 'object', properties: { text: TEXT }, required: ['text'] },
    accepts: { properties: { sessionId: TEXT } },
    annotations: READS,
  },
  restore_pii: {
    title: 'Show personal data to the user',
    description: 'Shows hidden values to the user, not to you.',
    inputSchema: { type: 'object', properties: { text: TEXT, sessionId: TEXT }, required: ['text'] },
    annotations: READS,
  },
  write_workspace_file: {
    title: 'Write a file',
    description: 'Writes a file.',
    inputSchema: {
      type: 'object',
      properties: { sessionId: TEXT, path: TEXT, content: TEXT },
      required: ['path', 'content'],
    },
    accepts: { properties: { encoding: { type: 'string', enum: ['utf8', 'base64'] } } },
    annotations: WRITES,
  },
  read_workspace_file: {
    title: 'Read a file',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { sessionId: TEXT, path: TEXT }, required: ['path'] },
    annotations: READS,
  },
  list_workspace_files: {
    title: 'List files',
    description: 'Lists files.',
    inputSchema: { type: 'object', properties: { sessionId: TEXT } },
    accepts: { properties: { path: TEXT } },
    annotations: READS,
  },
  get_execution_stats: {
    title: 'Show costs',
    description: 'Costs or result of an execution.',
    inputSchema: { type: 'object', properties: { executionId: TEXT } },
    accepts: { properties: { sessionId: TEXT } },
    annotations: READS,
  },
};

/** The own tools that a client lists: `core` (the two that every client needs), or `full` (all). */
export type ToolProfile = (typeof TOOL_PROFILES)[number];

/** The tools of each tool profile. */
export const PROFILE_TOOLS: Readonly<Record<ToolProfile, readonly ToolName[]>> = {
  core: Object.keys(CORE) as (keyof typeof CORE)[],
  full: Object.keys(DEFINITIONS) as ToolName[],
};
