import type { LanguageName } from '@toolwright/sandbox';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { knownCall } from './known-call.ts';
import { meantCall } from './meant-call.ts';

/** A name with members or an index, and a call. */
const CALL = /^[\w$]+\s*(?:\??\.\s*[\w$]+\s*|\??\.?\[[^\]\n]{0,100}\]\s*)*\(/;
/** A call with two texts as the first arguments. */
const TWO_TEXTS = /\bcall_?mcp_?tool\s*\(\s*(["'`])[^"'`\n]{1,100}\1\s*,\s*(["'`])[^"'`\n]{1,100}\2/i;
/** A call with a name without a tool, and an object that may name the tool. */
const SERVER_FIRST = /\bcall_?mcp_?tool\s*\(\s*(?:(["'`])[^"'`\n_]{1,100}\1\s*,\s*)?\{/i;
/** A call by a member of `servers` that is no server, or by a whole id. */
const OF_SERVERS = /\bservers\s*[.[][^\n]*\(/;
/** Lines after an import in which its first call is searched. */
const IMPORT_LINES = 20;
const AWAITED = /\bawait\s+([\w$][^\n]*\([^\n]*)/;
/** Lines of a call that are read. */
const CALL_LINES = 4;

/** Returns the call that a program means by a call of an unknown name. Returns undefined if it is not called, or no tool is similar. */
export async function meantCallOf(
  name: string,
  expression: string,
  catalog: UserCatalog,
  language: LanguageName = 'typescript',
): Promise<string | undefined> {
  const at = expression.search(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`));
  if (at < 0 || !CALL.test(expression.slice(at))) return undefined;
  return (
    (await meantCall(expression.slice(at), catalog, language)) ?? namedServer(expression.slice(at), catalog, language)
  );
}

/** Returns the tools of a server that a call names in its first argument, as in `connect("crm")`. */
async function namedServer(call: string, catalog: UserCatalog, language: LanguageName): Promise<string | undefined> {
  const [, , name] = /^[^("'`]*\(\s*(["'`])([^"'`\n]{1,100})\1/.exec(call) ?? [];
  return name === undefined ? undefined : knownCall({ name }, catalog, language);
}

/** Returns the call that a program means by a member of the global `servers` that does not exist. */
export async function serversHint(
  expression: string,
  catalog: UserCatalog,
  language: LanguageName = 'typescript',
): Promise<string | undefined> {
  const [call] = OF_SERVERS.exec(expression) ?? [];
  return call === undefined ? undefined : meantCall(expression.slice(expression.indexOf(call)), catalog, language);
}

/** Returns the call that a program means by a server and a tool in two texts, or in the members of one object. */
export async function twoTextsHint(
  expression: string,
  catalog: UserCatalog,
  language: LanguageName = 'typescript',
): Promise<string | undefined> {
  const call = TWO_TEXTS.exec(expression) ?? SERVER_FIRST.exec(expression);
  return call ? meantCall(expression.slice(call.index), catalog, language) : undefined;
}

/**
 * Returns the call that a program means after the import of a client of another product, which no program needs. Returns the names of the
 * global functions if it calls nothing that is a tool.
 */
export async function importedCall(
  line: number | undefined,
  source: string,
  catalog: UserCatalog,
  language: LanguageName = 'typescript',
): Promise<string> {
  const own =
    language === 'python' ? 'call_mcp_tool, search_tools and servers' : 'callMCPTool, search_tools and servers';
  const calls = source
    .split('\n')
    .slice(line ?? 1, (line ?? 1) + IMPORT_LINES)
    .flatMap((text) => AWAITED.exec(text)?.[1] ?? []);
  for (const call of calls) {
    const meant = await meantCall(call, catalog, language);
    if (meant !== undefined) return `${own} are global: remove the import. ${meant}`;
  }
  return `${own} are global: remove the import.`;
}

/** Returns the lines of the program from the line of an error on, as far as a call may go. */
export function expressionAt(line: number | undefined, source: string): string {
  const first = (line ?? 1) - 1;
  return source
    .split('\n')
    .slice(first, first + CALL_LINES)
    .join('\n');
}
