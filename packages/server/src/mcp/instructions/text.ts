import type { Toolwright } from '@toolwright/core';
import { type CountTokens, loadTokenizer } from '@toolwright/core/internal';
import {
  allNames,
  RESOURCES,
  type ServersInBrief,
  serversLine,
  serversText,
} from '../../agent/prompts/instructions.ts';
import { DEFINITIONS, type ToolName, type ToolProfile } from '../tools/definitions.ts';
import type { TextCache } from './cache.ts';
import { packagesLine } from './packages-line.ts';
import type { RecentTools } from './recent-tools.ts';
import { knownServers } from './servers.ts';

/**
 * Maximum tokens (o200k_base) of the listed definitions together with the instructions, for any servers. Where the instructions list the
 * names of all tools, these count apart.
 */
export const PROFILE_TOKENS: Readonly<Record<ToolProfile, number>> = { full: 550, core: 250 };

/** Maximum tokens of the line of servers: each conversation pays it, and a search finds the tools of all servers. */
const SERVERS_LINE_TOKENS = 25;
const CALLS = 'Used lately:';

export interface InstructionsOptions {
  readonly open: () => Promise<Toolwright>;
  readonly profile: ToolProfile;
  /** The tools that the server lists. */
  readonly listed: readonly ToolName[];
  /** Tools whose calls come first. */
  readonly pinned: readonly string[];
  readonly recent: RecentTools;
  readonly cache?: TextCache | undefined;
}

/** Returns a function that returns the instructions for a user: the servers, and the calls of pinned and recent tools. */
export function instructionsOf(options: InstructionsOptions): (user: string) => Promise<string> {
  const { open, profile, listed, pinned, recent, cache } = options;
  const known = knownServers(open, pinned, cache);
  return async (user) => {
    const [{ servers, pinned: first, hasResources }, later, countTokens] = await Promise.all([
      known(),
      recent.of(user),
      loadTokenizer(),
    ]);
    const definitions = listed.reduce((sum, name) => sum + countTokens(shownDefinition(name)), 0);
    const calls = [...new Set([...first, ...later.map(({ call }) => call)])];
    const maxTokens = PROFILE_TOKENS[profile] - definitions;
    const packages = packagesLine(await open(), countTokens);
    return instructionsText(servers, calls, { maxTokens, countTokens, hasResources, packages });
  };
}

/** Returns the text of a definition in the form in which clients send it to a model. */
export function shownDefinition(name: ToolName): string {
  const { description, inputSchema } = DEFINITIONS[name];
  return JSON.stringify({ name, description, input_schema: inputSchema });
}

interface TextOptions {
  readonly maxTokens: number;
  readonly countTokens: CountTokens;
  /** Whether servers have resources. */
  readonly hasResources?: boolean;
  /** The line about packages. */
  readonly packages?: string | undefined;
}

/**
 * Returns instructions with the numbers of servers and tools, lines about packages and resources, and the calls that fit into `maxTokens`, in
 * their order. If the names of all tools are few, they are listed even beyond the limit, since they save a search. Else names of servers fill the rest.
 */
export function instructionsText(
  servers: ServersInBrief | string,
  calls: readonly string[],
  { maxTokens, countTokens, hasResources = false, packages }: TextOptions,
): string {
  const isText = typeof servers === 'string';
  let about: readonly string[] = [];
  const text = (names: number, shown: readonly string[]) =>
    [
      isText ? servers : serversText(servers, countTokens, names),
      ...about,
      ...(shown.length > 0 ? [CALLS, ...shown] : []),
    ].join('\n');
  const fits = (names: number, shown: readonly string[]) => countTokens(text(names, shown)) <= maxTokens;
  const hasNames = !isText && allNames(servers, countTokens) !== undefined;
  if (!hasNames && !fits(0, [])) return '';
  for (const line of [packages, hasResources ? RESOURCES : undefined]) {
    if (line === undefined) continue;
    const before = about;
    about = [...about, line];
    if (!fits(0, [])) about = before;
  }
  const shown: string[] = [];
  for (const call of calls) if (fits(0, [...shown, call])) shown.push(call);
  const all = isText || hasNames ? 0 : servers.first.length;
  const isShort = (count: number) => isText || countTokens(serversLine(servers, count)) <= SERVERS_LINE_TOKENS;
  let names = 0;
  while (names < all && isShort(names + 1) && fits(names + 1, shown)) names++;
  return text(names, shown);
}
