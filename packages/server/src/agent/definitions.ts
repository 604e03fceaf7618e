/** A JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly object[];
}

/** The definition of a tool as a model reads it. Names, descriptions and input schemas cost tokens at every turn. */
export interface ToolSpec {
  readonly description: string;
  readonly inputSchema: ObjectSchema;
}

/** Returns the schema of a text. Models read the description at every turn: keep it short. */
export const text = (description?: string): object => ({ type: 'string', ...(description ? { description } : {}) });

/** The languages of programs. */
export const LANGUAGE: object = { type: 'string', enum: ['typescript', 'python'] };

/** The tools of every model, in the MCP server and in tasks, in the order of the listing. */
export const CORE: Readonly<Record<'execute_code' | 'search_tools' | 'get_tool_definition', ToolSpec>> = {
  execute_code: {
    description: `Runs a TypeScript or Python program with await callMCPTool("server__tool", {…}), Python await call_mcp_tool(…), search_tools, run_skill, fs on /workspace, /skills. Only its result (Python: result = x) returns: call in parallel, filter, join. [EMAIL_1] is a hidden value: pass it on, pii.match, pii.derive.`,
    inputSchema: {
      type: 'object',
      properties: {
        code: text(),
        language: LANGUAGE,
        sessionId: text('Keeps files; "new" starts one'),
        limits: { type: 'object', properties: { timeoutMs: { type: 'integer' } } },
        check: { type: 'boolean' },
      },
      required: ['code'],
    },
  },
  search_tools: {
    description: 'Finds tools and skills, as code.',
    inputSchema: {
      type: 'object',
      properties: {
        query: text('One per line'),
        server: text(),
        limit: { type: 'integer' },
        language: LANGUAGE,
      },
      required: ['query'],
    },
  },
  get_tool_definition: {
    description: 'Types and docs of one tool.',
    inputSchema: { type: 'object', properties: { name: text(), language: LANGUAGE }, required: ['name'] },
  },
};
