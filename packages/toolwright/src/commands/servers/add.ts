import { text } from 'node:stream/consumers';
import type { Toolwright } from '@toolwright/core';
import { EXIT, UsageError } from '@toolwright/core/command';
import { readServerEntries, withServer } from '@toolwright/core/config';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { problemOf } from '../../clients/entry.ts';
import { editConfiguration } from '../project/edit-configuration.ts';
import { redactedFor } from '../redacted.ts';
import { nestingProblem, proxyOfEntry, proxyOfTools } from './code-mode.ts';
import type { ServersContext } from './context.ts';
import { readText } from './files.ts';
import { type PastedServer, pastedJson, pastedText } from './pasted/pasted.ts';
import { pinnedArgs } from './pin.ts';

export interface AddArguments {
  /** The name, then a URL, or a command with its arguments. */
  readonly words: readonly string[];
  /** `Name: value` of HTTP headers. */
  readonly headers: readonly string[];
  /** `NAME=value` of environment variables. */
  readonly env: readonly string[];
  readonly isPinned: boolean;
}

const USAGE =
  'Use "servers add NAME -- COMMAND…", "servers add NAME URL", or "servers add JSON"; "servers add -" reads JSON from stdin.';

/** Adds a server to the configuration file, and reports its tools. A server that does not start yet is added too. */
export async function addServer(
  context: ServersContext,
  args: AddArguments,
  toolwright: Toolwright,
  pinned: typeof pinnedArgs = pinnedArgs,
): Promise<number> {
  const { machine, file, output } = context;
  const servers = await serversOf(args, { cwd: machine.cwd, file });
  for (const { name, entry, note } of servers) {
    if (note !== undefined) output.err(`${name}: ${note}.`);
    await addEntry(context, name, args.isPinned ? await pin(entry, pinned) : entry, toolwright);
  }
  return EXIT.completed;
}

/** Returns the servers of a command line: in its usual form, or as a person pasted them. */
async function serversOf(args: AddArguments, place: { cwd: string; file: string }): Promise<readonly PastedServer[]> {
  const { words, headers, env } = args;
  const [first = '', second, more] = words;
  const isBare = headers.length + env.length === 0;
  if (first === '-' && second === undefined) {
    const read = pastedJson(await text(process.stdin));
    if (read) return read;
    throw new UsageError(
      'stdin has no JSON with servers. Copy the block of the README of the server, with its braces.',
    );
  }
  const block = isBare && more === undefined ? pastedBlock(first, second) : undefined;
  if (block) return block;
  const pasted = isBare && second !== undefined && more === undefined ? pastedText(first, second, place) : undefined;
  return [pasted ?? entryOf(args)];
}

function pastedBlock(first: string, second: string | undefined): PastedServer[] | undefined {
  return second === undefined ? pastedJson(first) : pastedJson(second, first);
}

/** Adds an entry to the configuration file, and reports the tools of its server. Raises `UsageError` for a taken name and a code-mode proxy. */
export async function addEntry(
  { machine, file, output }: ServersContext,
  name: string,
  entry: Record<string, unknown>,
  toolwright: Toolwright,
): Promise<number> {
  if (readServerEntries(file, (await readText(file)) || '{}').has(name))
    throw new UsageError(
      `${file} has a server "${name}" already. Run "toolwright servers remove ${name}" first, or choose another name.`,
    );
  const proxy = proxyOfEntry(entry);
  if (proxy !== undefined) throw new UsageError(`${nestingProblem(name, proxy)}.`);
  const state = await stateOf(name, entry, toolwright);
  await editConfiguration(file, (text) => withServer(file, text, name, entry), machine);
  output.out(`Added ${name} to ${file}: ${await redactedFor(state, toolwright, output, false)}`);
  return EXIT.completed;
}

function entryOf({ words, headers, env }: AddArguments): { name: string; entry: Record<string, unknown> } {
  const [name, first, ...rest] = words;
  if (name === undefined || name === '' || first === undefined) throw new UsageError(USAGE);
  const isUrl = rest.length === 0 && /^https?:\/\//i.test(first);
  if (isUrl) {
    if (env.length > 0) throw new UsageError('--env belongs to a command. Use --header for a URL.');
    const values = pairs(headers, /^\s*([^:\s]+)\s*:\s*(.*)$/s, '--header', 'Name: value');
    return { name, entry: { url: first, headers: headers.length > 0 ? values : undefined } };
  }
  if (headers.length > 0) throw new UsageError('--header belongs to a URL. Use --env for a command.');
  const values = variablesOf(env);
  const parts = { command: first, args: rest.length > 0 ? rest : undefined };
  return { name, entry: { ...parts, env: env.length > 0 ? values : undefined } };
}

/** Returns the variables of `--env NAME=value`. Raises `UsageError`. */
export function variablesOf(env: readonly string[]): Record<string, string> {
  return pairs(env, /^([A-Za-z_]\w*)=(.*)$/s, '--env', 'NAME=value');
}

function pairs(texts: readonly string[], pattern: RegExp, option: string, form: string): Record<string, string> {
  const names = new Set<string>();
  const entries = texts.map((text) => {
    const [, key = '', value = ''] = pattern.exec(text) ?? [];
    // The text may be a secret, so the error does not quote it.
    if (key === '') throw new UsageError(`${option} takes ${form}.`);
    const name = option === '--header' ? key.toLowerCase() : key;
    if (names.has(name)) throw new UsageError(`${option} has the name ${key} more than once. Give it once.`);
    names.add(name);
    return [key, value];
  });
  return Object.fromEntries(entries);
}

async function pin(entry: Record<string, unknown>, pinned: typeof pinnedArgs): Promise<Record<string, unknown>> {
  const { command, args = [] } = entry as { command?: string; args?: string[] };
  if (command === undefined) throw new UsageError('--pin belongs to a command. A URL has no version.');
  return { ...entry, args: await pinned(command, args) };
}

/** Connects the server, and returns the line about it. Raises `UsageError` for a code-mode proxy. */
async function stateOf(name: string, entry: Record<string, unknown>, toolwright: Toolwright): Promise<string> {
  try {
    const { toolCount } = await toolwright.addServer(name, entry);
    const tools = (await toolwright.tools({ profile: '*' })).filter(({ server }) => server === name);
    const proxy = proxyOfTools(tools.map(({ definition }) => definition.name));
    if (proxy !== undefined) throw new UsageError(`${nestingProblem(name, `it has the tools ${proxy}`)}.`);
    return `${toolCount} tools.`;
  } catch (error) {
    if (!(error instanceof ToolwrightError)) throw error;
    // A variable can be set later, and every other mistake only here.
    const isUnset = problemOf(name, entry, []) !== undefined && problemOf(name, entry) === undefined;
    if (error.code === 'CONFIG_INVALID' && !isUnset) throw error;
    return `it does not work yet. ${messageOf(error)}`;
  }
}
