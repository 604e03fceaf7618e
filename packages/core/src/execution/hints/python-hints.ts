import { GUEST_NAMES } from '@toolwright/sandbox/internal';
import { suggest } from '../../catalog/names/suggest.ts';
import { PYTHON_NAMES } from '../../catalog/signatures/python/names.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import type { ExecutionError } from '../../history/result.ts';
import { expressionAt, importedCall, meantCallOf, serversHint, twoTextsHint } from './expressions.ts';
import { knownCall, type UsedName } from './known-call.ts';
import { otherLanguageHint } from './other-language.ts';
import { didYouMean, NO_FILE, OWN_FILES, suggestExport } from './suggestions.ts';

/** Modules that programs often use without an import. */
const MODULES: ReadonlySet<string> = new Set('asyncio base64 csv functools os pathlib random sys time uuid'.split(' '));
const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  callMCPTool: 'In Python, write await call_mcp_tool(name, {…}). For TypeScript, set language to "typescript".',
  console: 'In Python, write print(…). For TypeScript, set language to "typescript".',
};
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  true: 'True',
  false: 'False',
  null: 'None',
  undefined: 'None',
};
/** Characters of a line that are read. */
const MAX_LINE_CHARACTERS = 500;
const MISSING_NAME = /^name '(\w+)' is not defined/;
const MISSING_EXPORTS = [
  /cannot import name '(?<name>\w+)' from 'servers\.(?<module>\w+)'/,
  /module 'servers\.(?<module>\w+)' has no attribute '(?<name>\w+)'/,
];
const NO_NETWORK =
  'The sandbox has no network. Call a tool with call_mcp_tool(name, args); find one with search_tools(query).';
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /No module named '(?:requests|httpx|aiohttp|urllib3)|urlopen error|Cannot import "(?:requests|httpx|aiohttp|urllib3)/,
    NO_NETWORK,
  ],
  [
    /the JSON object must be str, bytes or bytearray, not (?:dict|list)/,
    'Results of tools are parsed already: use the value as it is.',
  ],
  [/^Unknown tool "[^"]*\{/, 'For the value of a variable, write an f-string: f"…{name}…".'],
  [NO_FILE, OWN_FILES],
  [
    /^EPERM: Operation not permitted$/,
    'The sandbox refuses this system call: it has no network and no devices. Call a tool of a server instead.',
  ],
  [/Object of type Answer is not JSON serializable/, 'Await the call first.'],
  [
    /can't be (?:used in 'await' expression|awaited)/,
    'Await only tool calls, searches, run_skill and sleep. Do not await open, read_file, write_file, list_files, load_skill, progress and show.',
  ],
  [/asyncio\.run\(\) cannot be called from a running/, 'The program has top-level await: write `await main()`.'],
  [/can't start new thread/, 'Pyodide has no threads. Write a loop, or await asyncio.gather(*[…]) for calls.'],
  [/event loop is already running/, 'The program has top-level await: use await instead of starting an event loop.'],
];

const VARIABLES = /\b(?:environ|getenv)\b/;
const GATHERED_LIST = /\bgather\(\s*\[/;
const API_MODULE = /^No module named '(?:tools?|\w*mcp\w*)(?:\.[\w.]*)?'/i;
/** An index of `servers`, or a member that is no server. */
const NO_SERVER = /^(?:'Servers' object is not|No module named 'servers\.)/;
const OUTSIDE_ASYNC = /'await' outside async function/;

/** A member of a dict that is its method, as in `page.items[0]`. */
const METHOD_OF_DICT = /([\w.[\]"']+)\.(items|keys|values|get|pop|copy|update|index|count)\b(?!\s*\()/;
const IS_METHOD = /^'builtin_function_or_method' object is not (?:subscriptable|iterable)/;

/** Returns a hint for an error of a Python program: a similar name, the call to write, or the alternative in the sandbox. */
export async function pythonHintFor(
  error: ExecutionError,
  source: string,
  catalog: UserCatalog,
): Promise<string | undefined> {
  if (OUTSIDE_ASYNC.test(error.message)) return makeAsync(source, error.line);
  if (error.code === 'SYNTAX') return otherLanguageHint(source, 'python');
  const expression = expressionAt(error.line, source);
  const twoTexts = await twoTextsHint(expression, catalog, 'python');
  if (twoTexts !== undefined) return twoTexts;
  for (const pattern of MISSING_EXPORTS) {
    const { name, module } = pattern.exec(error.message)?.groups ?? {};
    const server = catalog.servers().find(({ pythonModule }) => pythonModule === module)?.name;
    if (name && server !== undefined) return suggestExport(name, server, catalog, PYTHON_NAMES);
  }
  if (NO_SERVER.test(error.message)) return serversHint(expression, catalog, 'python');
  if (API_MODULE.test(error.message)) return importedCall(error.line, source, catalog, 'python');
  if (/^unhashable type: 'list'/.test(error.message) && GATHERED_LIST.test(expression)) {
    return 'asyncio.gather takes the calls one by one: write asyncio.gather(*[…]).';
  }
  if (error.name === 'KeyError' && VARIABLES.test(expression)) {
    return 'The sandbox has no environment variables of this machine. Write the values that the program needs into its text.';
  }
  const [, value, method] = (IS_METHOD.test(error.message) && METHOD_OF_DICT.exec(expression)) || [];
  if (value !== undefined) return `${value}.${method} is a method of dict. For the field, write ${value}["${method}"].`;
  const known = HINTS.find(([pattern]) => pattern.test(error.message))?.[1];
  if (known !== undefined) return known;
  const missing = MISSING_NAME.exec(error.message)?.[1];
  if (missing === undefined) return undefined;
  const line = error.line === undefined ? '' : (source.split('\n')[error.line - 1] ?? '').slice(0, MAX_LINE_CHARACTERS);
  const member = new RegExp(`\\b${missing}\\s*\\.\\s*(\\w+)`).exec(line)?.[1];
  return hintForName({ name: missing, member }, catalog, expression);
}

/** Returns the repair of the function around an `await`, found by its indentation. */
function makeAsync(source: string, line = 1): string {
  const lines = source.split('\n').slice(0, line);
  const indent = (text: string) => text.length - text.trimStart().length;
  const own = indent(lines.at(-1) ?? '');
  const head = lines.findLast((text) => /^\s*def\s/.test(text) && indent(text) < own);
  const name = /^\s*def\s+(\w+)/.exec(head ?? '')?.[1] ?? 'f';
  return `Write async def ${name}(…), and call it with await ${name}(…).`;
}

async function hintForName(used: UsedName, catalog: UserCatalog, expression: string): Promise<string | undefined> {
  const { name } = used;
  if (Object.hasOwn(FOREIGN_NAMES, name)) return FOREIGN_NAMES[name];
  if (MODULES.has(name)) return `Write \`import ${name}\` first.`;
  if (Object.hasOwn(FOREIGN_WORDS, name)) return `In Python, write ${FOREIGN_WORDS[name]}.`;
  return (
    (await knownCall(used, catalog, 'python')) ??
    (await meantCallOf(name, expression, catalog, 'python')) ??
    didYouMean(suggest(name, GUEST_NAMES.python))
  );
}
