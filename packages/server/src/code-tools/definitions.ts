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
  /** Further arguments, which models do not read. */
  readonly accepts?: { readonly properties: Readonly<Record<string, object>> };
}

/** The schema of a text. */
export const TEXT: object = { type: 'string' };

/** The languages of programs. Other usual spellings are accepted: `js`, `py`. */
export const LANGUAGE: object = { type: 'string', enum: ['typescript', 'python'] };

/**
 * The tools of every client and model. Their text has the two facts without which a program is wrong: how it returns a value, and that there
 * is no network.
 */
export const CORE: Readonly<Record<'execute_code' | 'search_tools', ToolSpec>> = {
  execute_code: {
    description:
      'return await servers.server.tool({}); Python: result = await servers.server.tool(). No network, only tools and packages',
    inputSchema: {
      type: 'object',
      properties: { code: TEXT, language: LANGUAGE },
      required: ['code'],
    },
    accepts: {
      properties: {
        sessionId: TEXT,
        limits: { type: 'object', properties: { timeoutMs: { type: 'integer' } } },
        check: { type: 'boolean' },
      },
    },
  },
  search_tools: {
    description: 'Finds tools for each line',
    inputSchema: { type: 'object', properties: { query: TEXT }, required: ['query'] },
    accepts: {
      properties: { server: TEXT, category: TEXT, detail_level: TEXT, limit: { type: 'integer' }, language: LANGUAGE },
    },
  },
};

/** The tool that shows one definition. Programs have it too, so only the tool profile `full` and agent loops list it. */
export const GET_TOOL_DEFINITION: ToolSpec = {
  description: 'Types and docs.',
  inputSchema: { type: 'object', properties: { name: TEXT }, required: ['name'] },
  accepts: { properties: { category: TEXT, language: LANGUAGE } },
};

/** The tools of an agent loop, in the order of the listing. */
export const LOOP_TOOLS: Readonly<Record<keyof typeof CORE | 'get_tool_definition', ToolSpec>> = {
  ...CORE,
  get_tool_definition: GET_TOOL_DEFINITION,
};
