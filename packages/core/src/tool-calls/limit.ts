import { isNestedDeeperThan } from '@toolwright/connectors/internal';
import { exactText } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../errors.ts';
import type { LimitedCall, LimitedResult, ToolCall, ToolCallContext } from './call.ts';

/** Longest tool name that is counted, looked up and journalled. */
const MAX_NAME_CHARACTERS = 1_000;

/** Characters of arguments or of a result after which each step of a call gets its own turn of the event loop. */
const LONG_CHARACTERS = 128 * 1024;

/** Returns whether the steps of a call with this text need turns of their own. */
export function isLong(text: string): boolean {
  return text.length > LONG_CHARACTERS;
}

/** Raises `UNKNOWN_TOOL` for a name that is too long to be one. */
export function limitName(tool: string): void {
  if (tool.length <= MAX_NAME_CHARACTERS) return;
  const message = `The tool name has ${tool.length} characters, the limit is ${MAX_NAME_CHARACTERS}. Use a name from search_tools.`;
  throw new ToolwrightError('UNKNOWN_TOOL', message);
}

/** Serialises and measures the arguments. Raises `ARGUMENTS_TOO_LARGE`. */
export function limitArguments(call: ToolCall, { limits, record }: ToolCallContext): LimitedCall {
  const argumentText = exactText(call.args);
  const bytes = Buffer.byteLength(argumentText);
  const limit = limits.callArgumentBytes;
  record.argumentBytes = bytes;
  const { number, request, tool, args, earlier } = call;
  if (bytes <= limit) return { number, request, tool, args, earlier, argumentText };
  const message = `The arguments of ${call.tool} have ${bytes} bytes, the limit is ${limit}. Send less at once.`;
  throw new ToolwrightError('ARGUMENTS_TOO_LARGE', message);
}

/** Serialises and measures the data that a tool returned. Raises `TOOL_RESULT_TOO_LARGE`, also for data that is nested too deep. */
export function limitResult(data: unknown, { tool }: ToolCall, { limits, record }: ToolCallContext): LimitedResult {
  if (isNestedDeeperThan(data, limits.depth)) {
    const message = `${tool} returned data that is nested deeper than ${limits.depth} levels. The call took effect. Request less.`;
    throw new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
  }
  const text = exactText(data);
  const bytes = Buffer.byteLength(text);
  const limit = limits.callResultBytes;
  record.resultBytes = bytes;
  if (bytes <= limit) return { data, text };
  const message = `${tool} returned ${bytes} bytes, the limit is ${limit}. The call took effect. Request less, by page or filter.`;
  throw new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
}
