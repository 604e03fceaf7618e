import { CORE, LANGUAGE, text } from '../agent/definitions.ts';
import { answerSchema, type Definition } from './definition.ts';

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

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
const SESSION_ID = text();

/** The definitions that clients list. Names, descriptions and input schemas cost a model tokens at every turn. */
export const DEFINITIONS: Readonly<Record<ToolName, Definition>> = {
  execute_code: {
    title: 'Run code',
    ...CORE.execute_code,
    outputSchema: {
      type: 'object',
      properties: {
        value: {},
        status: { enum: ['failed', 'stopped', 'suspended'] },
        executionId: { type: 'string' },
        waitingFor: { type: 'array', items: { type: 'string' } },
        pending: { type: 'array', items: { type: 'object' } },
        wakeAt: { type: 'string' },
        error: {
          type: 'object',
          properties: {
            kind: { enum: ['user', 'upstream', 'internal'] },
            code: { type: 'string' },
            name: { type: 'string' },
            message: { type: 'string' },
            line: { type: 'integer' },
            column: { type: 'integer' },
            hint: { type: 'string' },
          },
          required: ['code', 'message'],
        },
        limit: { enum: ['timeout', 'memory', 'toolCalls', 'cancelled'] },
        logs: { type: 'array', items: { type: 'string' } },
        unanswered: { type: 'array', items: { type: 'string' } },
        file: { type: 'string' },
        sessionId: { type: 'string' },
        session: { type: 'string', deprecated: true },
        note: { type: 'string' },
      },
      anyOf: [{ required: ['value'] }, { required: ['error'] }, { required: ['executionId', 'waitingFor'] }],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  search_tools: {
    title: 'Find tools',
    ...CORE.search_tools,
    outputSchema: answerSchema({ hits: { type: 'array', items: { type: 'string' } }, note: { type: 'string' } }, [
      'hits',
    ]),
    annotations: READS,
  },
  get_tool_definition: {
    title: 'Show a tool',
    ...CORE.get_tool_definition,
    outputSchema: answerSchema({ definition: { type: 'string' } }, ['definition']),
    annotations: READS,
  },
  save_skill: {
    title: 'Save a skill',
    description: 'Saves code for imports and run_skill. Default: the last completed program.',
    inputSchema: {
      type: 'object',
      properties: {
        name: text('kebab-case'),
        description: text('Purpose and when to use it'),
        code: text('Exports a function'),
        language: LANGUAGE,
      },
      required: ['name', 'description'],
    },
    outputSchema: answerSchema({ name: { type: 'string' }, signature: { type: 'string' } }, ['name']),
    annotations: WRITES,
  },
  load_skill: {
    title: 'Read a skill',
    description: 'Source and docs of a skill.',
    inputSchema: { type: 'object', properties: { name: text() }, required: ['name'] },
    outputSchema: answerSchema({ skill: { type: 'string' } }, ['skill']),
    annotations: READS,
  },
  list_skills: {
    title: 'List skills',
    description: 'Saved skills, by name and description.',
    inputSchema: { type: 'object', properties: { query: text() } },
    outputSchema: answerSchema({ skills: { type: 'array', items: { type: 'string' } } }, ['skills']),
    annotations: READS,
  },
  sanitize_pii: {
    title: 'Hide personal data',
    description: 'Replaces personal data by placeholders.',
    inputSchema: { type: 'object', properties: { text: text(), sessionId: SESSION_ID }, required: ['text'] },
    outputSchema: answerSchema({ text: { type: 'string' } }, ['text']),
    annotations: READS,
  },
  restore_pii: {
    title: 'Show personal data to the user',
    description: 'Shows the user, not you, a text with its values restored.',
    inputSchema: { type: 'object', properties: { text: text(), sessionId: SESSION_ID }, required: ['text'] },
    outputSchema: answerSchema({ shown: { type: 'boolean' } }, ['shown']),
    annotations: READS,
  },
  write_workspace_file: {
    title: 'Write a file',
    description: 'Writes a file of a session.',
    inputSchema: {
      type: 'object',
      properties: {
        sessionId: SESSION_ID,
        path: text(),
        content: text(),
        encoding: { type: 'string', enum: ['utf8', 'base64'] },
      },
      required: ['sessionId', 'path', 'content'],
    },
    outputSchema: answerSchema(
      {
        path: { type: 'string' },
        bytes: { type: 'integer' },
        sessionId: { type: 'string' },
        session: { type: 'string', deprecated: true },
      },
      ['path', 'bytes', 'sessionId'],
    ),
    annotations: WRITES,
  },
  read_workspace_file: {
    title: 'Read a file',
    description: 'Reads a file of a session; binary as base64.',
    inputSchema: {
      type: 'object',
      properties: { sessionId: SESSION_ID, path: text() },
      required: ['sessionId', 'path'],
    },
    outputSchema: answerSchema({ content: { type: 'string' }, encoding: { enum: ['utf8', 'base64'] } }, ['content']),
    annotations: READS,
  },
  list_workspace_files: {
    title: 'List files',
    description: 'Files of a session with sizes and times.',
    inputSchema: { type: 'object', properties: { sessionId: SESSION_ID, path: text() }, required: ['sessionId'] },
    outputSchema: answerSchema({ files: { type: 'array', items: { type: 'string' } } }, ['files']),
    annotations: READS,
  },
  get_execution_stats: {
    title: 'Show costs',
    description: 'Costs of executions: of a session, or of all. Or the result of one execution.',
    inputSchema: { type: 'object', properties: { sessionId: SESSION_ID, executionId: text() } },
    outputSchema: { type: 'object', properties: { executions: { type: 'integer' } } },
    annotations: READS,
  },
};

/** The tools of each profile: `core` costs a model the fewest tokens. */
export const PROFILES: Readonly<Record<ProfileName, readonly ToolName[]>> = {
  full: Object.keys(DEFINITIONS) as ToolName[],
  core: Object.keys(CORE) as (keyof typeof CORE)[],
};

/** `full` (all tools), or `core` (the least tools that work). */
export type ProfileName = 'full' | 'core';
