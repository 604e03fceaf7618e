import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '@toolwright/connectors';
import { listProblems } from '@toolwright/connectors/internal';
import type { CheckProblem, ToolReference } from '@toolwright/sandbox';
import { exportNames, JAVASCRIPT_NAMES } from '../../catalog/names/exports.ts';
import { suggest } from '../../catalog/names/suggest.ts';
import { searchHint } from '../../catalog/search/answer/notes.ts';
import { toolParameters } from '../../catalog/signatures/parameters.ts';
import type { SignatureBudget } from '../../catalog/signatures/signature.ts';
import { callStart, toolSignature } from '../../catalog/signatures/typescript/signature.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { argumentProblems, COUNTED_VALUES, expectedFormat, valuesNote } from '../../catalog/validation/values.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionError } from '../../history/result.ts';
import { loadTokenizer } from '../../telemetry/tokens.ts';
import { expressionAt, importedCall, serversHint, twoTextsHint } from '../hints/expressions.ts';
import { hintForName } from '../hints/hints.ts';
import { serverPlace } from '../hints/known-call.ts';
import { suggestExport } from '../hints/suggestions.ts';
import { insteadOf } from '../modules/absent-modules.ts';
import type { Packages } from '../packages/packages.ts';

/** Maximum tokens (o200k_base) of message and hint together. */
export const MAX_REPORT_TOKENS = 80;
/** The same of a report that lists several wrong arguments: each saves a turn. */
const MAX_LIST_TOKENS = 100;
/** From the most to the least detailed. The first one within the limit is shown. */
const BUDGETS: readonly SignatureBudget[] = [
  { arguments: 60, result: 30 },
  { arguments: 45, result: 0 },
  { arguments: 25, result: 0 },
  { arguments: 12, result: 0 },
];
/** Maximum characters of one part of a message. */
const MAX_PART_CHARACTERS = 120;
/** Tools of a server whose names a report lists. */
const MAX_NAMES = 12;
const NOTHING_RAN = 'Nothing has run.';

/** Describes the problems of a program, at least one, as an error: the first in full, the others up to the token limit. */
export async function describeProblems(
  problems: readonly CheckProblem[],
  catalog: UserCatalog,
  packages: Packages,
  source: string,
): Promise<ExecutionError> {
  const [first] = problems;
  if (!first) throw new ToolwrightError('INTERNAL', 'A check without problems cannot be described.');
  const count = await loadTokenizer();
  const tool = (await toolOf(first, catalog)) ?? (await toolOfLine(first, source, catalog));
  const several = tool && allProblems(first, tool);
  const maxTokens = several === undefined ? MAX_REPORT_TOKENS : MAX_LIST_TOKENS;
  const fits = (...parts: readonly string[]) => parts.reduce((tokens, part) => tokens + count(part), 0) <= maxTokens;
  const advice = several === undefined ? ((await adviceFor(first, tool, { catalog, packages, source })) ?? '') : '';
  const others = problems
    .slice(1)
    .filter(({ given }) => several === undefined || !isDeepStrictEqual(given, first.given));
  const what = several === undefined ? shortened(problemText(first, tool)) : `${several} (${tool?.id})`;
  const summary = `Line ${first.line}: ${what}.`;
  const more = others.length === 0 ? '' : ` And ${others.length} more.`;
  const basic = `${summary}${more} ${NOTHING_RAN}`;
  const hint =
    [...hintsFor(first, tool && catalog.withObserved(tool), advice)].find((candidate) => fits(basic, candidate)) ?? '';

  let message = basic;
  for (let shown = 1; shown <= others.length; shown++) {
    const lines = others.slice(0, shown).map((problem) => ` Line ${problem.line}: ${shortened(problem.message)}.`);
    const left = others.length - shown;
    const longer = `${summary}${lines.join('')}${left > 0 ? ` And ${left} more.` : ''} ${NOTHING_RAN}`;
    if (!fits(longer, hint)) break;
    message = longer;
  }
  return {
    kind: 'user',
    code: 'TYPE_ERROR',
    name: 'TypeError',
    message,
    line: first.line,
    column: first.column,
    hint: hint === '' ? undefined : hint,
  };
}

/** Returns all problems of a call whose arguments the source shows, if it has several; undefined otherwise. */
function allProblems({ given }: CheckProblem, tool: Tool): string | undefined {
  if (given === undefined) return undefined;
  const open = Object.fromEntries(given.open.map((name) => [name, null]));
  const found = argumentProblems(tool, { ...open, ...given.values }).filter(
    ({ path, message }) => !given.open.includes(path) || message.startsWith('unknown'),
  );
  // A misspelled name is in the problem of the missing one.
  const own = found.filter(({ path }) => !found.some(({ message }) => message.includes(`misspelled as "${path}"`)));
  // The signature shows missing and unknown names.
  const isShown = own.length < 2 || own.every(({ message }) => /^(?:missing|unknown)/.test(message));
  return isShown ? undefined : listProblems(own);
}

function problemText({ kind, message }: CheckProblem, tool: Tool | undefined): string {
  return kind === 'wrong-argument' && tool ? `${message} (${tool.id})` : message;
}

/** Yields hints, the most detailed first. */
function* hintsFor(problem: CheckProblem, tool: Tool | undefined, advice: string): Generator<string> {
  if (tool && !advice.includes(callStart(tool))) {
    const wantsResult = problem.kind === 'unknown-property';
    for (const budget of wantsResult ? [{ arguments: 12, result: 60 }, ...BUDGETS] : BUDGETS) {
      const own = problem.kind === 'unknown-export' ? undefined : problem.tool;
      const signature = asCalled(toolSignature(tool, budget), tool, own);
      const values = problem.kind === 'wrong-argument' && COUNTED_VALUES.test(signature) ? valuesNote(tool) : '';
      yield [advice, signature, values].filter((text) => text !== '').join(' ');
    }
  }
  if (advice !== '') yield advice;
}

/** Returns a signature in the form of the program's call: by the imported function, or by name. */
function asCalled(signature: string, tool: Tool, reference: ToolReference | undefined): string {
  if (!reference || !('exported' in reference)) return signature;
  return `${reference.exported}(${signature.slice(callStart(tool).length)}`.replace('(, ', '(');
}

interface AdviceContext {
  readonly catalog: UserCatalog;
  readonly packages: Packages;
  readonly source: string;
}

async function adviceFor(
  { kind, name, member, suggestion, fix, line, message, tool: reference }: CheckProblem,
  tool: Tool | undefined,
  { catalog, packages, source }: AdviceContext,
): Promise<string | undefined> {
  const pattern = kind === 'wrong-argument' && tool ? patternAdvice(message, tool) : undefined;
  if (pattern !== undefined) return pattern;
  if (fix !== undefined) return (await twoTextsHint(expressionAt(line, source), catalog)) ?? fix;
  if (kind === 'missing-await') return 'Write await before the call.';
  if (kind === 'unknown-module' && name !== undefined) {
    return API_PACKAGE.test(name) ? importedCall(line, source, catalog) : moduleAdvice(name, catalog, packages);
  }
  if (kind === 'unknown-name' && name !== undefined) {
    return (await hintForName({ name, member }, catalog, expressionAt(line, source))) ?? ask(suggestion);
  }
  if (kind === 'unknown-server' && name !== undefined) {
    return (await serversHint(expressionAt(line, source), catalog)) ?? serverAdvice(name, catalog);
  }
  if (kind === 'unknown-tool' && name?.includes('${')) return `Write a template text: \`${name}\`.`;
  if (kind === 'unknown-tool') {
    const meant = await twoTextsHint(expressionAt(line, source), catalog);
    if (meant !== undefined) return meant;
    const hint = tool ? ask(tool.id) : searchHint(catalog.servers().length);
    return `${catalog.noteOf(name ?? '')}${hint}${isOtherWord(name ?? '', tool) ? await namesOfServer(name ?? '', catalog) : ''}`;
  }
  if (kind === 'unknown-export' && reference && 'server' in reference) {
    return suggestExport(reference.exported, reference.server, catalog, JAVASCRIPT_NAMES);
  }
  if (kind === 'wrong-argument' && tool && name === undefined) return formatAdvice(message, tool);
  if (kind === 'wrong-argument' && tool && name !== undefined) {
    const names = toolParameters(tool).map((parameter) => parameter.name);
    return ask(suggestion ?? suggest(name, names, 1)[0]);
  }
  return ask(suggestion);
}

/** Returns whether a name of several words is more than a misspelling of a tool: its own words may mean another one. */
function isOtherWord(name: string, tool: Tool | undefined): boolean {
  const words = name.replace(/^.*__/, '').split(/[_-]/);
  return words.length > 1 && (tool === undefined || !words.every((word) => tool.id.includes(word)));
}

/** Returns the names of the tools of the server that a wrong name begins with; empty for another server, or a large one. */
async function namesOfServer(name: string, catalog: UserCatalog): Promise<string> {
  const server = catalog.servers().find((own) => name.startsWith(`${own.name}__`));
  if (!server) return '';
  const { tools } = await catalog.toolsOf(server.name).catch(() => ({ tools: [] }));
  if (tools.length === 0 || tools.length > MAX_NAMES) return '';
  return ` ${server.name} has: ${tools.map(({ definition }) => definition.name).join(', ')}.`;
}

/** Returns the pattern of the argument that a message is about: the value in another type may not match it. */
function patternAdvice(message: string, tool: Tool): string | undefined {
  const name = /^'(.+?)' takes string/.exec(message)?.[1];
  const { properties } = tool.definition.inputSchema as { readonly properties?: Readonly<Record<string, unknown>> };
  const schema = name === undefined ? undefined : properties?.[name];
  const pattern = typeof schema === 'object' && schema !== null && 'pattern' in schema ? schema.pattern : undefined;
  const isShort = typeof pattern === 'string' && pattern.length <= MAX_PATTERN_CHARACTERS;
  return isShort ? `Write ${name} as a text that matches ${pattern}.` : undefined;
}

/** Returns the format of the argument that a message is about: `since: a date-time such as …`. */
function formatAdvice(message: string, tool: Tool): string | undefined {
  const name = /^'(.+?)' takes string/.exec(message)?.[1];
  const expected = name === undefined ? undefined : expectedFormat(tool, name);
  return expected === undefined ? undefined : `Write ${name}: ${expected}.`;
}

function serverAdvice(name: string, catalog: UserCatalog): string | undefined {
  const servers = catalog.servers();
  const [near] = suggest(
    name,
    servers.map(({ slug }) => slug),
    1,
  );
  const server = servers.find(({ slug }) => slug === near);
  if (server) return ask(serverPlace(server));
  return `The servers are: ${shortened(servers.map(({ slug }) => slug).join(', '))}.`;
}

/** Packages of clients that programs import for the global functions. */
const API_PACKAGE = /mcp|modelcontext|toolwright/i;

function moduleAdvice(specifier: string, catalog: UserCatalog, packages: Packages): string {
  const words = specifier.toLowerCase().split(/[^a-z\d]+/);
  const server = catalog
    .servers()
    .find(({ slug }) => slug.split('-').every((word) => words.includes(word.toLowerCase())));
  if (server) return `Import from './servers/${server.slug}/index.js'.`;
  const instead = insteadOf(specifier);
  if (instead !== undefined) return instead;
  const advice = packages.advice('typescript', specifier);
  if (packages.problem !== undefined || packages.installed('typescript').length > 0) return advice.trim();
  return `There are no packages: remove the import, or import ./servers/<server>/index.js or node:path, node:crypto and the like.${advice}`;
}

const MAX_PATTERN_CHARACTERS = 80;
const NAMED_CALL = /callMCPTool\s*\(\s*(["'`])([^"'`\n]{1,200})\1|\bservers\.(\w{1,64})\.(\w{1,100})/g;

/**
 * Returns the tool whose result lacks a property: the one of the same line, as in `const { a } = await servers.shop.find(…)`, or the only one of the
 * program.
 */
async function toolOfLine(
  { kind, line, message }: CheckProblem,
  source: string,
  catalog: UserCatalog,
): Promise<Tool | undefined> {
  if (kind !== 'unknown-property' || !/\bresult\b/.test(message)) return undefined;
  const idsIn = (text: string) =>
    [...text.matchAll(NAMED_CALL)].map(
      ([, , id, server = '', name = '']) => id ?? catalog.functionOf(server, name, 'typescript')?.id,
    );
  const all = new Set(idsIn(source));
  const id = idsIn(expressionAt(line, source))[0] ?? (all.size === 1 ? [...all][0] : undefined);
  return id === undefined ? undefined : catalog.tool(id).catch(() => undefined);
}

/** Returns the tool of a problem; for an unknown tool, the most similar one. */
async function toolOf({ tool: reference, kind }: CheckProblem, catalog: UserCatalog): Promise<Tool | undefined> {
  if (!reference) return undefined;
  try {
    if ('name' in reference) return await catalog.tool(reference.name);
    const { tools } = await catalog.toolsOf(reference.server);
    const exports = exportNames(tools.map(({ definition }) => definition.name));
    const near = kind === 'unknown-export' ? suggest(reference.exported, exports.keys(), 1)[0] : undefined;
    const own = exports.get(near ?? reference.exported);
    return tools.find(({ definition }) => definition.name === own);
  } catch (error) {
    const suggestions = error instanceof ToolwrightError ? error.details.suggestions : undefined;
    const [near]: unknown[] = Array.isArray(suggestions) ? suggestions : [];
    if (typeof near === 'string') return catalog.tool(near).catch(() => undefined);
    return 'name' in reference ? catalog.nearest(reference.name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')) : undefined;
  }
}

function ask(suggestion: string | undefined): string | undefined {
  return suggestion === undefined ? undefined : `Did you mean ${suggestion}?`;
}

function shortened(text: string): string {
  return text.length > MAX_PART_CHARACTERS ? `${text.slice(0, MAX_PART_CHARACTERS - 1)}…` : text;
}
