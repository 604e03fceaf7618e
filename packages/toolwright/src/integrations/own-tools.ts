import type { InlineConnectorOptions, InlineTool, JsonSchema } from '@toolwright/core';

/** A tool of an agent framework, as an inline server of `createToolwright` calls it. */
export interface OwnTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  run(args: Readonly<Record<string, unknown>>, context: { readonly signal: AbortSignal }): unknown;
}

/** Returns an inline server with tools of an agent framework, for the option `tools` of `createToolwright`. */
export function serverOf(tools: readonly OwnTool[]): InlineConnectorOptions {
  const entries = tools.map(({ name, description, inputSchema, run }): [string, InlineTool] => [
    name,
    {
      description,
      inputSchema,
      run: async (args, context) => run(args, context),
    },
  ]);
  return { tools: Object.fromEntries(entries) };
}
