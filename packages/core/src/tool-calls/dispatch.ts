import type { Connector, InputOptions, RawResult, Tool, ToolCallOptions } from '@toolwright/connectors';
import { inSpan, isTraced } from '@toolwright/connectors/internal';
import { ToolwrightError } from '../errors.ts';
import type { SentCall, ToolCallContext } from './call.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';

/** Returns data in the form that the program wants: `null` for none, or as a whole result. */
export function inForm(data: unknown, isRaw: boolean | undefined): unknown {
  return isRaw ? ({ content: [], structuredContent: data ?? null } satisfies RawResult) : (data ?? null);
}

/**
 * Sends the call. Returns the data of the tool, `null` for none, or the whole result if the program wants it. Without `input`, questions
 * of the server get no answers. Raises the errors of the connector, unredacted.
 */
export async function dispatchCall(
  { restored: { args }, target: { tool, connector } }: SentCall,
  { signal, userId, clientHeaders, isRaw, onToolProgress }: ToolCallContext,
  input: InputOptions = {},
): Promise<unknown> {
  signal.throwIfAborted();
  try {
    const { onInput, onPaused, beforeResend, paused, onTaskWait } = input;
    let whole: RawResult | undefined;
    const onResult = (result: RawResult) => {
      whole = result;
    };
    const options: ToolCallOptions = {
      onInput,
      onPaused,
      beforeResend,
      paused,
      onTaskWait,
      onResult: isRaw ? onResult : undefined,
      signal,
      userId,
      clientHeaders: connector.clientHeaders && headersFor(connector.clientHeaders, clientHeaders),
      onProgress: onToolProgress,
    };
    const { name } = tool.definition;
    const data = await (isTraced()
      ? inSpan(`execute_tool ${tool.id}`, { attributes: attributesOf(tool) }, () => connector.call(name, args, options))
      : connector.call(name, args, options));
    return isRaw ? (whole ?? inForm(data, isRaw)) : (data ?? null);
  } catch (error) {
    throw error instanceof ToolwrightError ? new UnredactedError(error, tool) : error;
  }
}

function attributesOf({ id }: Tool) {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': id };
}

/** Returns those headers of a client that a server needs. */
export function headersFor(
  names: Connector['clientHeaders'] = [],
  given: ToolCallOptions['clientHeaders'] = {},
): NonNullable<ToolCallOptions['clientHeaders']> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}
