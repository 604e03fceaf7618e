import type { Toolwright } from '@toolwright/core';
import { readDetailLevel } from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { CORE, GET_TOOL_DEFINITION, LOOP_TOOLS } from '../../code-tools/definitions.ts';
import { directCallError } from '../../code-tools/direct-call.ts';
import { readArguments } from '../../code-tools/read-arguments.ts';

/** The user and the language of a call. */
export interface LookUpContext {
  readonly toolwright: Toolwright;
  readonly userId: string;
  /** The language of calls without `language`. */
  readonly language: LanguageName;
}

/** Answers a call of `search_tools` or `get_tool_definition`. Raises `INVALID_ARGUMENTS` for wrong
 * arguments, and the error of {@link directCallError} for another tool. */
export async function lookUp(tool: string, input: unknown, context: LookUpContext): Promise<string> {
  const { toolwright, userId, language } = context;
  if (tool === 'search_tools') {
    const read = readArguments(tool, CORE.search_tools, input);
    const { query, detail_level, ...rest } = read as unknown as { query: string; detail_level?: string };
    const detailLevel = readDetailLevel(detail_level);
    return (await toolwright.search(queriesOf(query), { language, ...rest, detailLevel, userId })).text;
  }
  if (tool === 'get_tool_definition') {
    const read = readArguments(tool, GET_TOOL_DEFINITION, input);
    const { name, ...rest } = read as unknown as { name: string };
    return toolwright.describe(name, 'docs', { language, ...rest, userId });
  }
  const call = { name: tool, args: input, own: Object.keys(LOOP_TOOLS), language, userId };
  throw (await directCallError(toolwright, call)).error;
}

/** Returns the queries of a text with one query per line. */
export function queriesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 ? lines : [text];
}
