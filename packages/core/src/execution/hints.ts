import type { PreparedSource } from '@toolwright/sandbox';
import { JAVASCRIPT_NAMES } from '../catalog/names/exports.ts';
import { suggest } from '../catalog/names/suggest.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import { pythonHintFor } from './python-hints.ts';
import type { ExecutionError } from './result.ts';
import { didYouMean, suggestExport } from './suggestions.ts';

const GUEST_NAMES = [
  'callMCPTool',
  'list_mcp_tools',
  'get_mcp_tool_details',
  'search_tools',
  'execution',
  'call_mcp_tool',
  'load_skill',
  'run_skill',
  'pii',
  'fs',
  'utils',
  'sleep',
  'parseJSON',
  'timestamp',
  'progress',
  'console',
];
const MISSING_GLOBALS: Readonly<Record<string, string>> = {
  require: 'The sandbox has no require. fs is a global; import tools from ./servers/<server>/index.js.',
  fetch: 'The sandbox has no network. Call a tool with callMCPTool(name, args); find one with search_tools(query).',
  process: 'The sandbox has no process. Write the values that the program needs into its text.',
  Buffer: 'The sandbox has no Buffer. Use Uint8Array, TextEncoder, atob and btoa.',
};
/** Messages of QuickJS and of V8. */
const MISSING_EXPORTS = [
  /Could not find export '(?<name>[^']+)' in module '(?<module>[^']+)'/,
  /requested module '(?<module>[^']+)' does not provide an export named '(?<name>[^']+)'/,
];
const MISSING_NAME = /^'?([\w$]+)'? is not defined$/;
const NO_FUNCTION = /not a function/;
const MEMBER_CALL = /([\w$]+)\s*\.\s*([\w$]+)\s*\(/g;
/** Characters of a line that are searched on each side of the error: minified lines are long, and the search is not linear. */
const LOOK_AROUND = 200;
const SERVER_OF_MODULE = /servers\/([^/]+)/;

/** Returns a hint for an error of a missing name: a similar name, or the alternative in the sandbox. */
export async function hintFor(
  error: ExecutionError,
  { source, prepared, catalog }: { source: string; prepared: PreparedSource; catalog: UserCatalog },
): Promise<string | undefined> {
  if (prepared.guest === 'python') return pythonHintFor(error, catalog);
  for (const pattern of MISSING_EXPORTS) {
    const { name, module } = pattern.exec(error.message)?.groups ?? {};
    if (name && module) return suggestFrom(name, module, catalog);
  }
  const missingName = MISSING_NAME.exec(error.message);
  if (missingName) return hintForName(missingName[1] ?? '');
  if (!NO_FUNCTION.test(error.message) || error.line === undefined) return undefined;

  const column = error.column ?? 1;
  const whole = source.split('\n')[error.line - 1] ?? '';
  const line = whole.slice(Math.max(0, column - LOOK_AROUND), column + LOOK_AROUND);
  for (const [, object = '', member = ''] of line.matchAll(MEMBER_CALL)) {
    const module = prepared.namespaces.get(object);
    const hint = module && (await suggestFrom(member, module, catalog));
    if (hint) return `${object}.${member} does not exist. ${hint}`;
  }
  return undefined;
}

/** Returns a hint for a missing global. */
export function hintForName(name: string): string | undefined {
  return Object.hasOwn(MISSING_GLOBALS, name) ? MISSING_GLOBALS[name] : didYouMean(suggest(name, GUEST_NAMES));
}

async function suggestFrom(name: string, module: string, catalog: UserCatalog): Promise<string | undefined> {
  const slug = SERVER_OF_MODULE.exec(module)?.[1];
  const server = catalog.servers().find((candidate) => candidate.slug === slug)?.name;
  return server === undefined ? undefined : suggestExport(name, server, catalog, JAVASCRIPT_NAMES);
}
