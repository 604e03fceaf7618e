/** A JSON Schema document that a server sent (2020-12 or an older draft). It may be malformed. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The tool annotations of the MCP specification. They are hints: a server may send wrong ones. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The user interface of a tool (MCP Apps): its address, and the callers of the tool. */
export interface ToolUi {
  /** The server's own `ui://` address of the view. */
  readonly resourceUri?: string | undefined;
  /** Default: the model and the view. */
  readonly visibility?: readonly ('model' | 'app')[] | undefined;
}

/** A tool as its server defines it, under the server's own name for it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** Present for a tool with a view. */
  readonly ui?: ToolUi;
  /** A function of this process that sends nothing. Only connectors of this process can claim it, never an MCP server. */
  readonly isLocal?: boolean;
}

/** The id of a tool, and its server. */
export interface ToolIdentity {
  /** The catalog-wide unique name, `server__tool`, which `callMCPTool` accepts. */
  readonly id: string;
  /** The configured name of the server. */
  readonly server: string;
}

/** A tool of the catalog: its definition, its server and its catalog-wide id. */
export interface Tool extends ToolIdentity {
  readonly definition: ToolDefinition;
  /** The identity of its server; see `Connector.serverKey`. */
  readonly serverKey?: string | undefined;
  /** The definition is not the accepted one: its annotations count for nothing. */
  readonly isQuarantined?: boolean;
  /**
   * The types of a user's earlier results, for a tool without an output schema; or its output schema with the places of large whole
   * numbers. Set in texts for this user only.
   */
  readonly observed?: JsonSchema | undefined;
}

/**
 * Returns the annotations of a tool as they were accepted: with its pin, or with the first list of its server. Those of a tool in
 * quarantine are the claims of its server, and none of them counts. Read annotations with this function only.
 */
export function acceptedAnnotations({ definition, isQuarantined }: Tool): ToolAnnotations {
  return isQuarantined ? {} : (definition.annotations ?? {});
}

/** Returns the schema of a tool's results, declared or inferred from earlier results. */
export function resultSchema({ definition, observed }: Tool): JsonSchema | undefined {
  return observed ?? definition.outputSchema;
}

/** Returns the id of a tool, before the catalog resolves collisions. */
export function toolId(server: string, tool: string): string {
  return `${server}__${tool}`;
}

/** The detail of a description: the shortest call, one runnable line, the declaration with documentation, or the server's schemas. */
export type Detail = 'call' | 'signature' | 'docs' | 'schema';

/** The languages of signatures and declarations. */
export type ToolLanguage = 'typescript' | 'python';
