import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { suggest } from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';

/** Characters of the arguments in the program of an answer. */
const MAX_ARGUMENT_CHARACTERS = 2_000;
const MAX_NAME_CHARACTERS = 200;
/** A tool of a server as models name it: `github__create_issue`, `servers.github.createIssue`, `mcp__github__create_issue`. */
const INNER = /^[^\s]+(?:__|[./:])[^\s]+$/;

/** Names of tools of other products that run programs. */
const RUNS_CODE =
  /^(?:run|exec|eval|python|java|type)?_?(?:code|script|python|program|interpreter)(?:_?interpreter|_?exec\w*)?$/i;

/** A call of a tool that is none of the own tools. */
export interface DirectCall {
  readonly name: string;
  readonly args: unknown;
  /** The own tools that exist here. */
  readonly own: readonly string[];
  readonly language: LanguageName;
  readonly userId: string;
}

/**
 * Returns the error of a call that names no own tool: the program to write for a tool of a server, else the own tools. `isInner` is
 * whether the name is one of a tool of a server.
 */
export async function directCallError(
  toolwright: Toolwright,
  { name, args, own, language, userId }: DirectCall,
): Promise<{ readonly isInner: boolean; readonly error: ToolwrightError }> {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS));
  const unknown = await toolwright.describe(name, 'signature', { userId, language }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (unknown !== undefined && !(unknown instanceof ToolwrightError)) throw unknown;
  const meant = unknown && meantTool(name, unknown.details.suggestions);
  const isInner = unknown === undefined || meant !== undefined || INNER.test(name);
  if (!isInner) {
    const [similar] = suggest(name, own, 1);
    const near = RUNS_CODE.test(name) ? own.find((tool) => tool === 'execute_code') : similar;
    const fix = near === undefined ? '' : ` Did you mean ${near}?`;
    const message = `There is no tool ${shown} here.${fix} The tools are: ${own.join(', ')}. Call other tools in a program, by execute_code.`;
    return { isInner, error: new ToolwrightError('UNKNOWN_TOOL', message) };
  }
  const code = language === 'python' ? `result = await call_mcp_tool(` : 'return await callMCPTool(';
  const program = `${code}${meant === undefined ? shown : JSON.stringify(meant)}, ${literal(args, language)})`;
  const isKnown = unknown === undefined || meant !== undefined;
  const why = isKnown ? '' : `\nThis name is not known. ${unknown.message}`;
  const message = `${shown} is no tool of this server: programs call it. Call execute_code with language "${language}" and this code:\n${program}${why}`;
  return { isInner, error: new ToolwrightError(isKnown ? 'INVALID_ARGUMENTS' : 'UNKNOWN_TOOL', message) };
}

/** Returns the only tool that a name can mean: it has another separator, another case or the prefix of a client, or lacks the server. */
function meantTool(name: string, suggestions: unknown): string | undefined {
  const named = plain(name);
  const same = (suggestions as readonly string[] | undefined)?.filter((id) => {
    const [server = '', ...own] = id.split('__');
    return named.endsWith(plain(id)) || (server !== '' && named === plain(own.join('__')));
  });
  return same?.length === 1 ? same[0] : undefined;
}

function plain(name: string): string {
  return name
    .slice(0, MAX_NAME_CHARACTERS)
    .replace(/[\s._/:-]+/g, '')
    .toLowerCase();
}

function literal(args: unknown, language: LanguageName): string {
  const text = JSON.stringify(args ?? {}) ?? '{}';
  if (text.length > MAX_ARGUMENT_CHARACTERS) return '{…}';
  return language === 'python' ? pythonText(args ?? {}) : text;
}

function pythonText(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, held]) => `${JSON.stringify(key)}: ${pythonText(held)}`)
    .join(', ')}}`;
}
