/** A JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** The definition of a tool as a model reads it. Names, descriptions and input schemas cost tokens at every turn. */
export interface ToolSpec {
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Arguments that only clients send, and the required ones that the input schema leaves out. Models do not read them. */
  readonly accepts?: Pick<ObjectSchema, 'properties' | 'required'>;
}

/** The schema of a text. */
export const TEXT: object = { type: 'string' };

/** The languages of programs. */
export const LANGUAGE: object = { type: 'string', enum: ['typescript', 'python'] };

/** The tools of every model, in the MCP server and in tasks, in the order of the listing. */
export const CORE: Readonly<Record<'execute_code' | 'search_tools' | 'get_tool_definition', ToolSpec>> = {
  execute_code: {
    description:
      "Runs TypeScript: return await callMCPTool('server__tool', {path: 'a.txt'}), with a name that you have read. Python (language python): await call_mcp_tool(…), result = x. Only the result returns: filter and join here. fs: /workspace (kept by sessionId 'new'), /skills. [EMAIL_1] hides a value: pass it on; pii.match, pii.derive.",
    inputSchema: {
      type: 'object',
      properties: { code: TEXT, language: TEXT, sessionId: TEXT },
      required: ['code'],
    },
    accepts: {
      properties: {
        language: LANGUAGE,
        limits: { type: 'object', properties: { timeoutMs: { type: 'integer' } } },
        check: { type: 'boolean' },
      },
    },
  },
  search_tools: {
    description: 'Finds tools and skills; one query per line.',
    inputSchema: { type: 'object', properties: { query: TEXT, server: TEXT }, required: ['query'] },
    accepts: { properties: { category: TEXT, detail_level: TEXT, limit: { type: 'integer' }, language: LANGUAGE } },
  },
  get_tool_definition: {
    description: 'Types and docs of a tool.',
    inputSchema: { type: 'object', properties: { name: TEXT } },
    accepts: { properties: { category: TEXT, language: LANGUAGE }, required: ['name'] },
  },
};
