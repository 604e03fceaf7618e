import type { LanguageName, PreparedSource } from '@toolwright/sandbox';
import { GUEST_NAMES } from '@toolwright/sandbox/internal';
import { JAVASCRIPT_NAMES } from '../../catalog/names/exports.ts';
import { suggest } from '../../catalog/names/suggest.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import type { ExecutionError } from '../../history/result.ts';
import type { ToolCallRecord } from '../../journal/call-record.ts';
import { expressionAt, importedCall, meantCallOf, serversHint, twoTextsHint } from './expressions.ts';
import { knownCall, type UsedName } from './known-call.ts';
import { meantCall } from './meant-call.ts';
import { otherLanguageHint } from './other-language.ts';
import { pythonHintFor } from './python-hints.ts';
import { resultsHint } from './results.ts';
import { didYouMean, NO_FILE, OWN_FILES, suggestExport } from './suggestions.ts';

const NO_NETWORK =
  'The sandbox has no network. Call a tool with callMCPTool(name, args); find one with search_tools(query).';
const NO_PAGE =
  'The sandbox is no web page. Call a tool of a server that opens pages; find one with search_tools(query).';
const NO_BROWSER_STORAGE =
  'The sandbox has no browser storage. Write files: await fs.writeFile("/workspace/a.txt", text).';
const NO_PROGRAM_FOLDER = 'A program has no folder of its own. Its files are in /workspace.';
const ONE_THREAD = 'A program is one thread. Use promises: await Promise.all(list.map(async (item) => …)).';
const MISSING_GLOBALS: Readonly<Record<string, string>> = {
  require:
    'require takes the name of a package or of a harmless module of Node as a literal, such as require("path"). Import tools from ./servers/<server>/index.js.',
  fetch: NO_NETWORK,
  XMLHttpRequest: NO_NETWORK,
  WebSocket: NO_NETWORK,
  Request: NO_NETWORK,
  Response: NO_NETWORK,
  EventSource: NO_NETWORK,
  Worker: ONE_THREAD,
  SharedArrayBuffer: ONE_THREAD,
  MessageChannel: ONE_THREAD,
  BroadcastChannel: ONE_THREAD,
  WebAssembly: 'The sandbox runs no WebAssembly. Write the work in TypeScript or Python, or import a package.',
  Deno: 'The sandbox has no Deno. Use node:fs/promises for files.',
  Bun: 'The sandbox has no Bun. Use node:fs/promises for files.',
  FileReader: 'The sandbox has no FileReader. Write await fs.readFile(path), or await blob.text().',
  document: NO_PAGE,
  window: NO_PAGE,
  navigator: NO_PAGE,
  location: NO_PAGE,
  Image: NO_PAGE,
  alert: 'The sandbox is no web page. Write console.log(…), or return the value.',
  localStorage: NO_BROWSER_STORAGE,
  sessionStorage: NO_BROWSER_STORAGE,
  __dirname: NO_PROGRAM_FOLDER,
  __filename: NO_PROGRAM_FOLDER,
  process: 'The sandbox has no process. Write the values that the program needs into its text.',
  Temporal: 'The engine has no Temporal. Use Date and Intl.DateTimeFormat, with timeZone.',
  Float16Array: 'The engine has no Float16Array. Use Float32Array, and Math.f16round for the rounding.',
  module: 'A program has no module. Write return value.',
  exports: 'A program has no exports. Write return value.',
  call_mcp_tool: 'In TypeScript, write await callMCPTool(name, args). For Python, set language to "python".',
  print: 'In TypeScript, write console.log(…). For Python, set language to "python".',
};
/** Messages of QuickJS and of V8. */
const MISSING_EXPORTS = [
  /Could not find export '(?<name>[^']+)' in module '(?<module>[^']+)'/,
  /requested module '(?<module>[^']+)' does not provide an export named '(?<name>[^']+)'/,
  // Of the global `servers`.
  /^(?<module>\.\/servers\/[^/]+)\/index\.js does not provide an export named '(?<name>[^']+)'/,
];
const MISSING_NAME = /^'?([\w$]+)'? is not defined$/;
const NO_FUNCTION = /not a function/;
/** A value of a result is missing, or is something else than the program expects. */
const OTHER_VALUE =
  /cannot read propert|unexpected (?:token|end)|not valid JSON|not a function|not iterable|not correctly encoded|invalid (?:date|time value|url)/i;
/** The package of a client of another product, which a program imports or requires. */
const NO_CLIENT = /^Cannot import "[^"\n]*(?:mcp|modelcontext|tool)/i;
const MEMBER_OF_THIS = /\bthis\s*\.[^\n]{1,200}/;
/** The message has the fix already. */
const IS_MIXED = /^The program mixes /;
const NO_AWAIT = /`await` is only allowed within async functions/;
const MAKE_ASYNC =
  'Write async before the function around it, and await its calls: await Promise.all(list.map(async (item) => …)).';
const MEMBER_CALL = /([\w$]+)\s*\.\s*([\w$]+)\s*\(/g;
/** Characters of a line that are searched on each side of the error: minified lines are long, and the search is not linear. */
const LOOK_AROUND = 200;
const SERVER_OF_MODULE = /servers\/([^/]+)/;

/** The facts about a failed program that a hint uses. */
export interface HintContext {
  readonly source: string;
  readonly prepared: PreparedSource;
  readonly catalog: UserCatalog;
  readonly calls: readonly ToolCallRecord[];
  /** Returns a sentence about the values that the session keeps; undefined if it keeps none. */
  readonly keptAdvice?: ((name: string) => Promise<string | undefined>) | undefined;
}

/** A text in place of a record: a loop over a dict gives its keys. */
const TEXT_INDEX = /^string indices must be integers/;

/** A name that no statement of the program sets, in the messages of all engines. */
const UNKNOWN_NAME = /^(?:name )?'?([\w$]+)'? is not defined/;

/**
 * Returns a hint for an error: a similar name, the call to write, or the alternative in the sandbox. Otherwise the values that the session keeps, or
 * the fields of the last results.
 */
export async function hintFor(error: ExecutionError, context: HintContext): Promise<string | undefined> {
  const unknown = UNKNOWN_NAME.exec(error.message)?.[1];
  const hints = [
    await ownHint(error, context),
    unknown === undefined ? undefined : await context.keptAdvice?.(unknown),
  ];
  const given = hints.filter((hint) => hint !== undefined);
  if (given.length > 0) return given.join(' ');
  return unknown === undefined ? undefined : `Declare ${unknown} in this program: it has no values of others.`;
}

async function ownHint(error: ExecutionError, context: HintContext): Promise<string | undefined> {
  const { source, prepared, catalog, calls } = context;
  if (prepared.guest === 'python') {
    const hint = await pythonHintFor(error, source, catalog);
    return hint ?? (TEXT_INDEX.test(error.message) ? resultsHint(calls, catalog, 'python') : undefined);
  }
  for (const pattern of MISSING_EXPORTS) {
    const { name, module } = pattern.exec(error.message)?.groups ?? {};
    if (name && module) return suggestFrom(name, module, catalog);
  }
  const missingName = MISSING_NAME.exec(error.message)?.[1];
  if (missingName !== undefined) {
    const used = { name: missingName, member: memberOf(missingName, error, source) };
    return hintForName(used, catalog, expressionAt(error.line, source));
  }
  if (NO_FILE.test(error.message)) return OWN_FILES;
  if (NO_CLIENT.test(error.message)) return importedCall(0, source, catalog);
  if (error.code === 'UNKNOWN_TOOL') return twoTextsHint(expressionAt(error.line, source), catalog);
  const ofThis = /of undefined/.test(error.message) ? MEMBER_OF_THIS.exec(nearColumn(error, source))?.[0] : undefined;
  if (ofThis !== undefined) return meantCall(ofThis, catalog);
  const isCall = NO_FUNCTION.test(error.message);
  const namespace = isCall
    ? ((await namespaceHint(error, context)) ?? (await serversHint(expressionAt(error.line, source), catalog)))
    : undefined;
  if (namespace !== undefined || !OTHER_VALUE.test(error.message)) return namespace;
  return resultsHint(calls, catalog, 'typescript');
}

/** Returns a hint for a program that cannot be read. */
export function syntaxHint(error: ExecutionError, source: string, language: LanguageName): string | undefined {
  if (error.code !== 'SYNTAX' || IS_MIXED.test(error.message)) return undefined;
  return NO_AWAIT.test(error.message) ? MAKE_ASYNC : otherLanguageHint(source, language);
}

/** Returns a hint for a missing global. `expression` is the text of the program from the line of the name on. */
export async function hintForName(
  used: UsedName,
  catalog: UserCatalog,
  expression: string,
): Promise<string | undefined> {
  const { name } = used;
  if (Object.hasOwn(MISSING_GLOBALS, name)) return MISSING_GLOBALS[name];
  return (
    (await knownCall(used, catalog)) ??
    (await meantCallOf(name, expression, catalog)) ??
    // One letter is similar to too many names.
    (name.length > 1 ? didYouMean(suggest(name, GUEST_NAMES.typescript)) : undefined)
  );
}

/** Returns the member that a line reads from a name: `getUser` in `shop.getUser(…)`. */
function memberOf(name: string, error: ExecutionError, source: string): string | undefined {
  const line = nearColumn(error, source);
  for (const [, object, member] of line.matchAll(MEMBER_CALL)) if (object === name) return member;
  return undefined;
}

async function namespaceHint(error: ExecutionError, context: HintContext): Promise<string | undefined> {
  for (const [, object = '', member = ''] of nearColumn(error, context.source).matchAll(MEMBER_CALL)) {
    const module = context.prepared.namespaces.get(object);
    const hint = module && (await suggestFrom(member, module, context.catalog));
    if (hint) return `${object}.${member} does not exist. ${hint}`;
  }
  return undefined;
}

function nearColumn({ line, column = 1 }: ExecutionError, source: string): string {
  const whole = line === undefined ? '' : (source.split('\n')[line - 1] ?? '');
  return whole.slice(Math.max(0, column - LOOK_AROUND), column + LOOK_AROUND);
}

async function suggestFrom(name: string, module: string, catalog: UserCatalog): Promise<string | undefined> {
  const slug = SERVER_OF_MODULE.exec(module)?.[1];
  const server = catalog.servers().find((candidate) => candidate.slug === slug)?.name;
  return server === undefined ? undefined : suggestExport(name, server, catalog, JAVASCRIPT_NAMES);
}
