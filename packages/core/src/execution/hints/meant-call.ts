import type { Tool, ToolLanguage } from '@toolwright/connectors';
import { toolId } from '@toolwright/connectors';
import { suggest } from '../../catalog/names/suggest.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';

/** Characters of an expression that are read. */
const MAX_CHARACTERS = 400;
const TEXT = /(["'`])((?:(?!\1)[^\\\n]){1,100})\1/g;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** Words of other products, and of the languages: they name no tool. */
const FOREIGN: ReadonlySet<string> = new Set(
  'args arguments async await call callmcptool callmcp calltool client codemode const context default execute executetool function functions input invoke let mcp mcpclient name namespace new null params parameters print result return run runtool self server servername servers session this tool toolargs toolinput toolname tools type usemcptool useserver usetool var window globalthis'.split(
    ' ',
  ),
);

/**
 * Returns the call that a program means by an expression of another product: `mcp.crm.find(…)`, `client.callTool({ name: "find" })`,
 * `use_mcp_tool("crm", "find", …)`. Undefined if no tool has its words. Never rejects.
 */
export async function meantCall(
  expression: string,
  catalog: UserCatalog,
  language: ToolLanguage = 'typescript',
): Promise<string | undefined> {
  try {
    const tool = await meantTool(expression.slice(0, MAX_CHARACTERS), catalog);
    if (tool === undefined) return undefined;
    const [signature] = (await catalog.describe(tool.id, 'call', language)).split('\n');
    return `Write ${signature?.startsWith('await ') ? signature : `await ${signature}`}`;
  } catch {
    // The error of the program is more important than one of the catalog.
    return undefined;
  }
}

async function meantTool(expression: string, catalog: UserCatalog): Promise<Tool | undefined> {
  const tools = await catalog.list('', 0);
  const texts = [...expression.matchAll(TEXT)].map(([, , text = '']) => text);
  const callee = /^[^(]*/.exec(expression.replaceAll(/\[\s*(['"`])([^'"`]*)\1\s*\]/g, '.$2'))?.[0] ?? '';
  const members = callee.match(WORD) ?? [];
  // Names before values: arguments come after the name of a tool.
  const parts = [...members.filter(isOwn), ...texts.filter((text) => !/\s/.test(text))];
  const plainIds = new Map(tools.map((tool) => [plain(tool.id), tool]));
  for (const [index, part] of parts.entries()) {
    const found = plainIds.get(plain(part)) ?? plainIds.get(plain(toolId(part, parts[index + 1] ?? '')));
    if (found) return found;
  }
  const byName = tools.filter(({ definition }) => parts.some((part) => plain(part) === plain(definition.name)));
  if (byName.length === 1) return byName[0];
  const [first = '', second = ''] = parts;
  const [similar] = suggest(
    second === '' ? first : toolId(first, second),
    tools.map(({ id }) => id),
    1,
  );
  if (similar !== undefined) return tools.find(({ id }) => id === similar);
  return catalog.nearest(`${first} ${second}`) ?? catalog.nearest(first);
}

function isOwn(word: string): boolean {
  return !FOREIGN.has(plain(word));
}

function plain(text: string): string {
  return text.replace(/[\s._/:-]+/g, '').toLowerCase();
}
