import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { readRegularText, type UnreadableFile } from '@toolwright/connectors/read-file';
import type { CheckResult, ExpectedCall, ServerSummary, Tool, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { ALL_TOOLS, SKILL_FILE, suggest } from '@toolwright/core/internal';
import { type LanguageName, pythonLanguage, typescriptLanguage } from '@toolwright/sandbox';
import { redactedFor } from '../redacted.ts';
import { serverProblem } from '../server-problem.ts';
import { languageOf } from '../shared-options.ts';
import { asLine } from '../terminal.ts';

/** One tool that a program names. */
interface CheckedTool {
  readonly name: string;
  /** `missing`: no server has it. `unavailable`: its server is not ready. `denied`: the policy refuses every call. */
  readonly status: 'available' | 'missing' | 'unavailable' | 'denied';
  /** Why it cannot be called, and the fix. */
  readonly reason?: string;
  /** Similar names of a missing tool. */
  readonly suggestions?: readonly string[];
}

/** A wrong call that the check of a TypeScript program finds. */
interface CallProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Calls of a tool about which the policy may ask a person. */
type AskedCall = { readonly file: string } & Omit<ExpectedCall, 'action'>;

type Host = Toolwright;

/** Maximum bytes of a program. */
const MAX_BYTES = 5_000_000;
const MAX_FILES = 200;
/** The id of a tool in a text of a program. `__name__` of Python is none. */
const TOOL_ID = /^[^\W_][\w.-]*?__[\w.-]*[^\W_][\w.-]*$/;
const CALL_PROBLEMS: ReadonlySet<string> = new Set(['wrong-argument', 'unknown-server', 'unknown-export']);

interface CheckArguments {
  readonly file: string;
  readonly language?: LanguageName | undefined;
  readonly json: boolean;
  /** Knows the tools that the profile of `toolwright` lacks. Default: the reason of a missing tool names no profile. */
  readonly all?: Toolwright;
}

/**
 * Shows which tools of a program or skill are missing and why, wrong arguments of TypeScript, and calls that may wait for a person. Calls none. Returns the exit code: 1 if a
 * call would fail.
 */
export async function checkTools(
  toolwright: Host,
  { file, language, json, all = toolwright }: CheckArguments,
  output: Output,
  waitMs: number,
): Promise<number> {
  const programs = await programsOf(file, language);
  const servers = await toolwright.servers({ load: true, waitMs });
  const tools = await toolwright.tools({ waitMs: 0 });
  const others = new Set((await all.tools({ profile: ALL_TOOLS, waitMs: 0 })).map(({ id }) => id));
  const lookup = { toolwright, tools, servers, others, waitMs };
  const named = new Map<string, CheckedTool>();
  const problems: CallProblem[] = [];
  const asked: AskedCall[] = [];
  for (const program of programs) {
    const { texts, functions } = await (program.language === 'python' ? pythonLanguage() : typescriptLanguage()).names(
      program.code,
    );
    for (const id of texts.filter((text) => TOOL_ID.test(text))) {
      named.set(id, await checkTool(id, lookup));
    }
    for (const [server, name] of functions) {
      const id = toolOfFunction(server, name, tools, servers) ?? `${server}__${name}`;
      named.set(id, await checkTool(id, lookup));
    }
    const result = await toolwright.check(program.code, { language: program.language });
    problems.push(...callProblems(program, result));
    asked.push(...askedCalls(program, result));
  }
  const checked = [...named.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const report = await redactedFor({ tools: checked, problems, asked }, toolwright, output, json);
  if (json) output.out(JSON.stringify(report));
  else print(report, output);
  return checked.some(({ status }) => status !== 'available') || problems.length > 0
    ? EXIT.guestFailed
    : EXIT.completed;
}

function print(
  {
    tools,
    problems,
    asked,
  }: { tools: readonly CheckedTool[]; problems: readonly CallProblem[]; asked: readonly AskedCall[] },
  output: Output,
): void {
  if (tools.length === 0) output.out('The program names no tool.');
  for (const { name, status, reason } of tools) {
    output.out(`${status.padEnd(11)}  ${asLine(name)}${reason === undefined ? '' : `  ${asLine(reason)}`}`);
  }
  for (const { file, line, column, message } of problems)
    output.out(`wrong call   ${file}:${line}:${column}  ${asLine(message)}`);
  for (const { file, tool, rule } of asked) output.out(`may ask      ${file}  ${asLine(`${tool}  ${rule}`)}`);
}

interface Lookup {
  readonly toolwright: Toolwright;
  readonly tools: readonly Tool[];
  readonly servers: readonly ServerSummary[];
  /** The ids of the tools of all profiles. */
  readonly others: ReadonlySet<string>;
  readonly waitMs: number;
}

async function checkTool(id: string, { toolwright, tools, servers, others, waitMs }: Lookup): Promise<CheckedTool> {
  if (tools.some((tool) => tool.id === id)) {
    const { action, rule } = await toolwright.explain(id);
    if (action !== 'deny') return { name: id, status: 'available' };
    return {
      name: id,
      status: 'denied',
      reason: `The policy refuses it: ${rule}. Change the rule, or use another tool.`,
    };
  }
  if (others.has(id)) {
    const reason = `The profile${toolwright.profile ? ` "${toolwright.profile}"` : ' of the setting "defaultProfile"'} has no such tool. Add it to "tools" of the profile, or choose another one with --servers.`;
    return { name: id, status: 'missing', reason };
  }
  const owner = servers.find(({ name, slug }) => id.startsWith(`${name}__`) || id.startsWith(`${slug}__`));
  if (owner && owner.status.state !== 'ready') {
    return {
      name: id,
      status: 'unavailable',
      reason: `The server ${owner.name} is not ready: ${serverProblem(owner, waitMs)}`,
    };
  }
  const own = owner && id.slice(id.indexOf('__') + 2);
  const left = owner?.omittedTools?.find(({ name }) => name === own);
  if (left) return { name: id, status: 'missing', reason: `It was left out: ${left.problem}` };
  const suggestions = suggest(
    id,
    tools.map((tool) => tool.id),
    3,
  );
  return { name: id, status: 'missing', reason: missingReason(id, owner, suggestions, servers), suggestions };
}

function missingReason(
  id: string,
  owner: ServerSummary | undefined,
  suggestions: readonly string[],
  servers: readonly ServerSummary[],
): string {
  const what = owner
    ? `The server ${owner.name} has no such tool.`
    : `No server is called ${id.slice(0, id.indexOf('__'))}.`;
  if (suggestions.length > 0) return `${what} Did you mean ${suggestions.join(', ')}?`;
  const failed = servers.filter(({ status }) => status.state !== 'ready').map(({ name }) => name);
  if (failed.length > 0) return `${what} These servers are not ready: ${failed.join(', ')}.`;
  return `${what} Find one: toolwright tools WORDS.`;
}

/** Returns the tool behind a function of a server's module, whose name has only the letters and digits in common with the tool's. */
function toolOfFunction(
  server: string,
  name: string,
  tools: readonly Tool[],
  servers: readonly ServerSummary[],
): string | undefined {
  const owner = servers.find((known) => plain(known.slug) === plain(server) || plain(known.name) === plain(server));
  return tools.find((tool) => tool.server === owner?.name && plain(tool.definition.name) === plain(name))?.id;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function callProblems({ file }: Program, checked: CheckResult): CallProblem[] {
  if (checked.status !== 'failed') return [];
  const { error } = checked;
  if (error.code === 'SYNTAX') {
    return [{ file, line: error.line ?? 1, column: error.column ?? 1, message: error.message }];
  }
  const wrong = checked.problems.filter(({ kind }) => CALL_PROBLEMS.has(kind));
  return wrong.map(({ line, column, message }) => ({ file, line, column, message }));
}

/** Returns the calls that may wait for a person, as the text of the program shows them. */
function askedCalls({ file }: Program, { calls = [] }: CheckResult): AskedCall[] {
  const asked = calls.filter(({ action }) => action === 'ask' || action === 'depends');
  return asked.map(({ tool, rule, targets }) => ({ file, tool, rule, targets }));
}

interface Program {
  readonly file: string;
  readonly code: string;
  readonly language: LanguageName;
}

/** Reads a program, or the programs of a skill's folder. */
async function programsOf(path: string, language: LanguageName | undefined): Promise<Program[]> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined)
    throw new UsageError(`There is no file ${path}. Pass the path of a program or of a skill's folder.`);
  const folder = found.isDirectory() ? path : basename(path) === SKILL_FILE ? dirname(path) : undefined;
  if (folder === undefined) return [await programOf(path, language ?? languageOf(undefined, path) ?? 'typescript')];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && ['.ts', '.js', '.mjs', '.py'].includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('node_modules'))
    .sort();
  if (files.length === 0)
    throw new UsageError(`The folder ${folder} has no program: no file ends with .ts, .js, .mjs or .py.`);
  if (files.length > MAX_FILES)
    throw new UsageError(`The folder ${folder} has ${files.length} programs, the limit is ${MAX_FILES}.`);
  return Promise.all(files.map((file) => programOf(file, languageOf(undefined, file) ?? 'typescript')));
}

async function programOf(file: string, language: LanguageName): Promise<Program> {
  const code = await readRegularText(file, MAX_BYTES).catch((error: UnreadableFile) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  return { file, code, language };
}
