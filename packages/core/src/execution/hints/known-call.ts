import type { Tool, ToolLanguage } from '@toolwright/connectors';
import { exportNames, JAVASCRIPT_NAMES, type Naming } from '../../catalog/names/exports.ts';
import { suggest } from '../../catalog/names/suggest.ts';
import { PYTHON_NAMES } from '../../catalog/signatures/python/names.ts';
import { callStart, toolSignature } from '../../catalog/signatures/typescript/signature.ts';
import type { ServerSummary, UserCatalog } from '../../catalog/user-catalog.ts';
import { propertyKey, sourceString } from '../../text.ts';

const BUDGET = { arguments: 30, result: 0 };
const NAMING: Readonly<Record<ToolLanguage, Naming>> = { typescript: JAVASCRIPT_NAMES, python: PYTHON_NAMES };

/** A name that a program uses without declaring it: `shop`, with `getUser` in `shop.getUser(…)`. */
export interface UsedName {
  readonly name: string;
  readonly member?: string | undefined;
}

/**
 * Returns the call that a program means by an unknown name: of a server (`shop.getUser`), or of a tool (`getUser`). Undefined when
 * no server and no known tool has the name. Never rejects.
 */
export async function knownCall(
  { name, member }: UsedName,
  catalog: UserCatalog,
  language: ToolLanguage = 'typescript',
): Promise<string | undefined> {
  const servers = catalog.servers();
  const server = servers.find((own) => [own.name, own.slug, own.pythonModule].some((text) => isSame(text, name)));
  try {
    if (server) return `Write ${await callOf(server, member, catalog, language)}`;
    const tool = (await catalog.list('', 0)).find(({ definition }) => isSame(definition.name, name));
    const owner = tool && servers.find((own) => own.name === tool.server);
    return owner && tool ? `Write ${await callOf(owner, tool.definition.name, catalog, language)}` : undefined;
  } catch {
    // The server does not answer. The error of the program is more important.
    return undefined;
  }
}

/** Returns how a program names a server: `servers.shop`, or `servers["help-desk"]`. */
export function serverPlace({ slug, pythonModule }: ServerSummary, language: ToolLanguage = 'typescript'): string {
  if (language === 'python') return `servers.${pythonModule}`;
  return propertyKey(slug) === slug ? `servers.${slug}` : `servers[${sourceString(slug)}]`;
}

async function callOf(
  server: ServerSummary,
  member: string | undefined,
  catalog: UserCatalog,
  language: ToolLanguage,
): Promise<string> {
  const place = serverPlace(server, language);
  const { tools } = await catalog.toolsOf(server.name);
  const exports = exportNames(
    tools.map(({ definition }) => definition.name),
    NAMING[language],
  );
  const near = member === undefined ? undefined : suggest(member, exports.keys(), 1)[0];
  const own = exports.get(member ?? '') ?? exports.get(near ?? '');
  const tool = tools.find(({ definition }) => definition.name === own);
  if (!tool) return `${place}.<tool>(…). It has: ${[...exports.keys()].slice(0, 10).join(', ')}.`;
  if (language === 'python') return (await catalog.describe(tool.id, 'signature', language)).split('\n')[0] ?? '';
  const names = [...exports].flatMap(([name, value]) => (value === own ? [name] : []));
  return `await ${place}.${callIn(tool, names.find((name) => name === member) ?? names.at(-1))}`;
}

function callIn(tool: Tool, name = tool.definition.name): string {
  return `${name}(${toolSignature(tool, BUDGET).slice(callStart(tool).length)}`.replace('(, ', '(');
}

/** Programs write `getUser`, `get_user` and `get-user` for each other. */
function isSame(one: string, other: string): boolean {
  const plain = (text: string) => text.replace(/[\s._-]+/g, '').toLowerCase();
  return plain(one) === plain(other) && plain(one) !== '';
}
