import { isNestedDeeperThan, propertyPath } from '@toolwright/connectors/internal';
import { exactText, hasManyDigits } from '@toolwright/sandbox/internal';
import { isFieldName } from '../catalog/inferred-types/field-names.ts';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { withExactIntegers } from '../catalog/validation/exact-arguments.ts';
import { resultProblem, validateArguments } from '../catalog/validation/values.ts';
import { ToolwrightError } from '../errors.ts';
import type { LimitedCall, LimitedResult, RestoredArguments, ToolCall, ToolCallContext } from './call.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';

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

/** Returns the restored arguments with exact numbers: see {@link withExactIntegers}. */
export function exactArguments(
  { argumentText }: LimitedCall,
  restored: RestoredArguments,
  { tool }: ResolvedTool,
): RestoredArguments {
  if (!hasManyDigits(argumentText) && !restored.written?.size) return restored;
  return { ...restored, args: withExactIntegers(tool, restored.args) };
}

/** Checks the restored arguments against the schema of the tool. Raises `INVALID_ARGUMENTS`, unredacted: it quotes arguments. */
export function validateCall({ args, written }: RestoredArguments, { tool, writer }: ResolvedTool): void {
  const problem = validateArguments(tool, args, writer, written);
  if (problem === undefined) return;
  throw new UnredactedError(new ToolwrightError('INVALID_ARGUMENTS', problem, { details: { tool: tool.id } }));
}

/** The names that servers give to the place of the next page. */
const NEXT_PAGE = [
  ...[
    'next_cursor',
    'nextCursor',
    'next_page',
    'nextPage',
    'next_page_token',
    'nextPageToken',
    'next_token',
    'nextToken',
  ],
  ...['has_more', 'hasMore', 'has_next_page', 'hasNextPage'],
] as const;

/** Returns the name of the field that leads to the next page of a result; undefined for the last page, and for results without pages. */
export function nextPageOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  for (const name of NEXT_PAGE) {
    if (Object.hasOwn(data, name) && isMore((data as Record<string, unknown>)[name])) return name;
  }
  return undefined;
}

function isMore(value: unknown): boolean {
  return value === true || typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/**
 * Warns the reader of the execution about whole numbers that JavaScript does not have. Warns also about a result that breaks the output
 * schema of its tool. The program receives the result: it may be right, and the schema wrong. The warning has no values, because the result is
 * not redacted yet.
 */
export function warnAboutResult(
  { data, text }: LimitedResult,
  { tool, writer }: ResolvedTool,
  { warn, language }: ToolCallContext,
): void {
  if (language === 'typescript' && hasManyDigits(text)) {
    const place = pathToInteger(data);
    if (place !== undefined) {
      const where = place === '' ? 'a whole number' : `${place}, a whole number`;
      const message = `${tool.id} returned ${where} beyond 2^53. The program gets the digits of such numbers as text: pass the text on as it is, or use BigInt(text).`;
      warn(message, 'large integers');
    }
  }
  const problem = resultProblem(tool, data, writer);
  if (problem !== undefined)
    warn(`The result of ${tool.id} breaks its output schema: ${problem}. It was passed on as it is.`);
}

/** Returns the path of the first whole number beyond ±(2⁵³-1); undefined without one. Names that may be data are left out. */
function pathToInteger(data: unknown): string | undefined {
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: data, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === 'bigint') return path;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [name, child] of Object.entries(value).reverse()) {
      if (typeof child !== 'bigint' && (typeof child !== 'object' || child === null)) continue;
      const inner = isList ? `${path}[${name}]` : propertyPath(path, isFieldName(name) ? name : '…');
      open.push({ value: child, path: inner });
    }
  }
  return undefined;
}
