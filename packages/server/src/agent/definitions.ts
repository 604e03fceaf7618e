/** A JSON Schema of an object, as it goes over the wire. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly object[];
}

/** What a model is told of a tool: names, descriptions and input schemas cost it tokens at every turn. */
export interface ToolSpec {
  readonly description: string;
  readonly inputSchema: ObjectSchema;
}

/** Shorthand of the schemas below: what is said of a parameter is read by a model, at every turn. */
export const text = (description?: string): object => ({ type: 'string', ...(description ? { description } : {}) });

/** The languages of programs. */
export const LANGUAGE: object = { type: 'string', enum: ['typescript', 'python'] };

/** The tools that every model gets, from our MCP server and in tasks, in the order in which they are listed. */
export const CORE: Readonly<Record<'execute_code' | 'search_tools' | 'get_tool_definition', ToolSpec>> = {
  execute_code: {
    description: `Runs a TypeScript or Python program with await callMCPTool("server__tool", {…}), Python await call_mcp_tool(…), search_tools, run_skill, fs on /workspace and /skills. You get what it returns (Python: result = x): call in parallel, filter, join.`,
    inputSchema: {
      type: 'object',
      properties: {
        code: text(),
        language: LANGUAGE,
        session: text('Keeps /workspace; "new" starts one'),
        timeoutMs: { type: 'integer' },
        check: { type: 'boolean', description: 'Type-check first (default)' },
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
