import { suggest } from '../catalog/names/suggest.ts';
import { PYTHON_NAMES } from '../catalog/signatures/python/names.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { ExecutionError } from './result.ts';
import { didYouMean, suggestExport } from './suggestions.ts';

const GUEST_NAMES = [
  'call_mcp_tool',
  'list_mcp_tools',
  'get_mcp_tool_details',
  'search_tools',
  'execution',
  'read_file',
  'write_file',
  'list_files',
  'load_skill',
  'run_skill',
  'pii',
  'progress',
  'sleep',
  'ToolError',
];
/** Modules that programs often use without an import. */
const MODULES: ReadonlySet<string> = new Set(
  'asyncio base64 collections csv datetime functools itertools json math os pathlib random re statistics sys time uuid'.split(
    ' ',
  ),
);
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  true: 'True',
  false: 'False',
  null: 'None',
  undefined: 'None',
};
const MISSING_NAME = /^name '(\w+)' is not defined/;
const MISSING_EXPORTS = [
  /cannot import name '(?<name>\w+)' from 'servers\.(?<module>\w+)'/,
  /module 'servers\.(?<module>\w+)' has no attribute '(?<name>\w+)'/,
];
const NO_NETWORK =
  'The sandbox has no network. Call a tool with call_mcp_tool(name, args); find one with search_tools(query).';
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/No module named '(?:requests|httpx|aiohttp|urllib3)|urlopen error/, NO_NETWORK],
  [
    /can't be (?:used in 'await' expression|awaited)/,
    'Await only tool calls, searches, run_skill and sleep. Do not await open, read_file, write_file, list_files, load_skill and progress.',
  ],
  [/asyncio\.run\(\) cannot be called from a running/, 'The program has top-level await: write `await main()`.'],
  [/event loop is already running/, 'The program has top-level await: use await instead of starting an event loop.'],
];

/** Returns a hint for an error of a Python program: a similar name, or the alternative in the sandbox. */
export async function pythonHintFor(error: ExecutionError, catalog: UserCatalog): Promise<string | undefined> {
  for (const pattern of MISSING_EXPORTS) {
    const { name, module } = pattern.exec(error.message)?.groups ?? {};
    const server = catalog.servers().find(({ pythonModule }) => pythonModule === module)?.name;
    if (name && server !== undefined) return suggestExport(name, server, catalog, PYTHON_NAMES);
  }
  const known = HINTS.find(([pattern]) => pattern.test(error.message))?.[1];
  if (known !== undefined) return known;
  const missing = MISSING_NAME.exec(error.message)?.[1];
  return missing === undefined ? undefined : hintForName(missing);
}

function hintForName(name: string): string | undefined {
  if (MODULES.has(name)) return `Write \`import ${name}\` first.`;
  if (Object.hasOwn(FOREIGN_WORDS, name)) return `In Python, write ${FOREIGN_WORDS[name]}.`;
  return didYouMean(suggest(name, GUEST_NAMES));
}
