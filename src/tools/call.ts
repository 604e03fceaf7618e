import type { Connector, ToolCallOptions } from '../connectors/connector.ts';
import { ToolwrightError } from '../errors.ts';
import { inSpan } from '../tracing.ts';
import type { Observations } from './observed/store.ts';
import type { Tool, ToolLanguage } from './tool.ts';
import { validateArguments } from './validation.ts';
import type { ToolWriter } from './writer.ts';

/** What may be set for one call. */
export interface CatalogCallOptions extends ToolCallOptions {
  /** The language of the program that calls, in which it is told what is wrong. */
  readonly language?: ToolLanguage;
  /** Makes the arguments that are sent, before they are checked; what it rejects with ends the call. */
  readonly restore?: (
    args: Readonly<Record<string, unknown>>,
    tool: Tool,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

/** What a call is made with. */
export interface CallParts {
  readonly tool: Tool;
  readonly connector: Connector;
  /** Tells what is wrong in the language of who calls. */
  readonly writer: ToolWriter;
  readonly observations: Observations | undefined;
}

/** Validates the arguments, then calls the tool, and remembers what an undeclared result looks like. */
export async function callTool(
  { tool, connector, writer, observations }: CallParts,
  given: Readonly<Record<string, unknown>>,
  { restore, ...options }: Omit<CatalogCallOptions, 'language'>,
): Promise<unknown> {
  const args = restore ? await restore(given, tool) : given;
  const problem = validateArguments(tool, args, writer);
  if (problem !== undefined) throw new ToolwrightError('INVALID_ARGUMENTS', problem, { details: { tool: tool.id } });
  options.signal?.throwIfAborted();
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.id };
  const result = await inSpan(`execute_tool ${tool.id}`, { attributes }, () =>
    connector.call(tool.definition.name, args, options),
  );
  if (tool.definition.outputSchema === undefined) observations?.record(tool, result);
  return result;
}
