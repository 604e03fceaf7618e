import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { RestoredArguments, ToolCallContext } from './call.ts';
import { UnredactedError } from './unredacted-error.ts';

/** Sends the call. Returns the data of the tool, `null` for none. Raises the errors of the connector, unredacted. */
export async function dispatchCall(
  { args }: Pick<RestoredArguments, 'args'>,
  { tool, connector }: Pick<ResolvedTool, 'tool' | 'connector'>,
  { signal, userId }: Pick<ToolCallContext, 'signal' | 'userId'>,
): Promise<unknown> {
  signal.throwIfAborted();
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.id };
  try {
    const data = await inSpan(`execute_tool ${tool.id}`, { attributes }, () =>
      connector.call(tool.definition.name, args, { signal, userId }),
    );
    return data ?? null;
  } catch (error) {
    throw error instanceof ToolwrightError ? new UnredactedError(error, tool) : error;
  }
}
