import type { Connector, ToolCallOptions } from '../connectors/connector.ts';
import { ToolwrightError } from '../errors.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { ToolWriter } from './signatures/writer.ts';
import type { Tool, ToolLanguage } from './tool.ts';
import { validateArguments } from './validation/arguments.ts';

/** Arguments as they are sent. */
interface SentArguments {
  readonly args: Readonly<Record<string, unknown>>;
  /** Texts and keys that are told in another way when something is wrong with them. */
  readonly written: ReadonlyMap<string, string>;
}

/** What may be set for one call. */
export interface CatalogCallOptions extends ToolCallOptions {
  /** The language of the program that calls, in which it is told what is wrong. */
  readonly language?: ToolLanguage;
  /** Makes the arguments that are sent, before they are checked; what it rejects with ends the call. */
  readonly restore?: (args: Readonly<Record<string, unknown>>, tool: Tool) => Promise<SentArguments>;
  /** Hears that the arguments fit and go out: what is told of a failure from here on is the tool's. */
  readonly onSend?: () => void;
}

/** What a call is made with. */
export interface CallParts {
  readonly tool: Tool;
  readonly connector: Connector;
  /** Tells what is wrong in the language of who calls. */
  readonly writer: ToolWriter;
}

/** Validates the arguments, then calls the tool. */
export async function callTool(
  { tool, connector, writer }: CallParts,
  given: Readonly<Record<string, unknown>>,
  { restore, onSend, ...options }: Omit<CatalogCallOptions, 'language'>,
): Promise<unknown> {
  const { args, written } = restore ? await restore(given, tool) : { args: given };
  const problem = validateArguments(tool, args, writer, written);
  if (problem !== undefined) throw new ToolwrightError('INVALID_ARGUMENTS', problem, { details: { tool: tool.id } });
  options.signal?.throwIfAborted();
  onSend?.();
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.id };
  return inSpan(`execute_tool ${tool.id}`, { attributes }, () => connector.call(tool.definition.name, args, options));
}
