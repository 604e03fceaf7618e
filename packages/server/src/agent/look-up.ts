import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { readDetailLevel } from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { CORE } from './definitions.ts';

/** The user and the language of a call. */
export interface LookUpContext {
  readonly toolwright: Pick<Toolwright, 'search' | 'describe'>;
  readonly userId: string;
  /** The language of calls without `language`. */
  readonly language: LanguageName;
}

/** Answers a call of `search_tools` or `get_tool_definition`. Raises `INVALID_ARGUMENTS` for another tool or wrong arguments. */
export async function lookUp(tool: string, input: object, context: LookUpContext): Promise<string> {
  const { toolwright, userId, language } = context;
  if (tool === 'search_tools') {
    const read = readInput(input, SEARCH) as unknown as { query: string; detail_level?: string };
    const { query, detail_level, ...rest } = read;
    const detailLevel = readDetailLevel(detail_level);
    return (await toolwright.search(queriesOf(query), { language, ...rest, detailLevel, userId })).text;
  }
  if (tool === 'get_tool_definition') {
    const { name, ...rest } = readInput(input, DEFINITION) as unknown as { name: string };
    return toolwright.describe(name, 'docs', { language, ...rest, userId });
  }
  const names = Object.keys(CORE).join(', ');
  throw invalidArguments(
    `There is no tool ${JSON.stringify(tool.slice(0, 100))} here. Call ${names}. Call other tools in a program.`,
  );
}

/** Returns the queries of a text with one query per line. */
export function queriesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 ? lines : [text];
}

const isText = (value: unknown) => typeof value === 'string';
const isLanguage = (value: unknown) => value === 'typescript' || value === 'python';
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
type Rules = Readonly<Record<string, (value: unknown) => boolean>>;
/** The first property is required. */
const SEARCH: Rules = {
  query: isText,
  server: isText,
  category: isText,
  detail_level: isText,
  limit: isCount,
  language: isLanguage,
};
const DEFINITION: Rules = { name: isText, category: isText, language: isLanguage };

/** Returns the known properties of an input. Ignores null, which models send for omitted properties. */
function readInput(input: object, rules: Rules): Record<string, unknown> {
  const known = Object.entries(input).filter(
    ([name, value]) => Object.hasOwn(rules, name) && value !== null && value !== undefined,
  );
  const bad = known.find(([name, value]) => !rules[name]?.(value));
  if (bad) throw invalidArguments(`"${bad[0]}" has the wrong type.`);
  const [required = ''] = Object.keys(rules);
  if (!known.some(([name]) => name === required)) throw invalidArguments(`"${required}" is missing.`);
  return Object.fromEntries(known);
}

/** Returns the error of a call that a model can correct. */
export function invalidArguments(message: string): ToolwrightError {
  return new ToolwrightError('INVALID_ARGUMENTS', message);
}
