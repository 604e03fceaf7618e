/** A JSON Schema document as an upstream sent it (2020-12 or an older draft); never trusted to be well formed. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** Hints of the MCP specification about what a tool does. Hints only: a server may lie. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as its upstream defines it, under the name that the upstream gave it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
}

/** A tool of the catalog: its definition plus the upstream it belongs to and its catalog-wide name. */
export interface Tool {
  /** Catalog-wide unique name, `server__tool`: what `callMCPTool` takes. */
  readonly id: string;
  /** Name of the upstream as configured. */
  readonly server: string;
  readonly definition: ToolDefinition;
  /** What its results looked like so far, of a tool that does not declare them. */
  readonly observed?: JsonSchema | undefined;
}

/** The schema of a tool's results, declared or observed. */
export function resultSchema({ definition, observed }: Tool): JsonSchema | undefined {
  return definition.outputSchema ?? observed;
}

/** The catalog-wide name of a tool, before collisions are resolved by the catalog. */
export function toolId(server: string, tool: string): string {
  return `${server}__${tool}`;
}

/** How much of a tool is told: one runnable line, its whole declaration with docs, or the schemas as they came. */
export type Detail = 'signature' | 'docs' | 'schema';

/** The languages in which tools are told. */
export type ToolLanguage = 'typescript' | 'python';
