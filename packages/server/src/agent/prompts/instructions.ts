import { setTimeout as sleep } from 'node:timers/promises';
import { shorten } from '@toolwright/connectors/internal';
import type { ServerSummary, Tool, Toolwright } from '@toolwright/core';
import { type CountTokens, loadTokenizer } from '@toolwright/core/internal';
import * as z from 'zod';

const serverInBrief = z.strictObject({
  name: z.string(),
  tools: z.int(),
  /** A word that many of its tools share. */
  topic: z.string().optional(),
  /** The names of its tools; absent where a name is missing, since a list must have all. */
  names: z.array(z.string()).optional(),
});

/** The servers as instructions name them: their numbers, and the first servers. */
export const serversInBrief = z.strictObject({
  tools: z.int(),
  servers: z.int(),
  first: z.array(serverInBrief),
});

export type ServersInBrief = z.infer<typeof serversInBrief>;
type ServerInBrief = z.infer<typeof serverInBrief>;

/** Named servers, at most. */
const MAX_NAMED = 10;
const NAME_TOKENS = 10;
/** Maximum tokens of the names of all tools. More names cost more than the searches that they save. */
export const ALL_NAMES_TOKENS = 200;
/** More tools never fit, so their names are not counted. */
const MAX_LISTED = 100;
/** A name that needs no quotes. Another one could have the form of a sentence. */
const PLAIN_NAME = /^[\p{L}\p{N}_.:/-]{1,64}$/u;
const AT_ONCE = 'Call at once; errors show signatures:';
const USE = 'Let one execute_code program make all calls and return only what you need.';

/** The sentence about resources, where servers have some. */
export const RESOURCES = 'Resources: list_resources(), read_resource(uri)';

/** Instructions before the first server has listed its tools. */
export const UNKNOWN_TOOLS = 'The servers are still starting: find tools by search_tools.';

/** Words of tool names that fit any server. */
const COMMON: ReadonlySet<string> = new Set(
  'add all and batch by bulk call cancel check clear close copy count create delete do edit execute fetch find for from generate get in info insert into is list load make manage move multiple new of on open patch post put query read remove resolve restore run save search send set show start status stop sync to toggle tool update upload validate with write'.split(
    ' ',
  ),
);
const WORD = /\p{Lu}?\p{Ll}{2,}|\p{Lu}{2,}(?!\p{Ll})/gu;
const MAX_CHARACTERS = 20;

/**
 * Returns the numbers of servers and tools, and the first servers with the names of their tools if these may fit. A server that has not
 * listed its tools is as in `before`, the servers of an earlier start.
 */
export function inBrief(
  servers: readonly ServerSummary[],
  tools: readonly Tool[],
  before?: ServersInBrief,
): ServersInBrief {
  const byServer = new Map<string, Tool[]>(servers.map(({ name }) => [name, []]));
  for (const tool of tools) byServer.get(tool.server)?.push(tool);
  const known = new Map(before?.first.map((server) => [server.name, server]));
  const first = servers.slice(0, tools.length <= MAX_LISTED ? MAX_LISTED : MAX_NAMED).map((server) => {
    const isReady = server.status.state === 'ready';
    return (isReady ? undefined : known.get(server.name)) ?? oneInBrief(server.name, byServer.get(server.name) ?? []);
  });
  const listed = first.reduce((sum, { name, tools: own }) => sum + own - (byServer.get(name)?.length ?? 0), 0);
  return { tools: tools.length + listed, servers: servers.length, first };
}

function oneInBrief(server: string, tools: readonly Tool[]): ServerInBrief {
  const names = tools.length <= MAX_LISTED ? namesOf(server, tools) : undefined;
  const topic = topicOf(server, tools);
  return {
    ...{ name: names === undefined ? shorten(server, NAME_TOKENS) : server, tools: tools.length },
    topic,
    names,
  };
}

/** Returns the names with which ids of a server end, without tools in quarantine; undefined if one cannot be listed. */
function namesOf(server: string, tools: readonly Tool[]): string[] | undefined {
  const start = `${server}__`;
  const isListable = ({ id }: Tool) => id.startsWith(start) && PLAIN_NAME.test(id.slice(start.length));
  const trusted = tools.filter(({ isQuarantined }) => isQuarantined !== true);
  if (!PLAIN_NAME.test(server) || !trusted.every(isListable)) return undefined;
  return trusted.map(({ id }) => id.slice(start.length));
}

/** Returns the names of all tools, a line for each server; undefined if a name is missing, or if they need more than {@link ALL_NAMES_TOKENS}. */
export function allNames({ tools, servers, first }: ServersInBrief, countTokens: CountTokens): string | undefined {
  const isComplete = first.length === servers && first.every(({ names }) => names !== undefined);
  if (tools === 0 || !isComplete) return undefined;
  const lines = first.map(({ name, names = [] }) => `${name}: ${names.join(' ') || '(none yet)'}`).join('\n');
  return countTokens(lines) <= ALL_NAMES_TOKENS ? lines : undefined;
}

/** Returns the text about the servers: the names of all tools if they fit, else one line with at most `maxNames` servers. */
export function serversText(servers: ServersInBrief, countTokens: CountTokens, maxNames?: number): string {
  const names = allNames(servers, countTokens);
  return names === undefined ? serversLine(servers, maxNames) : `${AT_ONCE}\n${names}`;
}

/** Returns one line about the servers, with at most `maxNames` of them: `26 tools of 2 servers: github (20 issue), …`. */
export function serversLine(brief: ServersInBrief, maxNames: number = MAX_NAMED): string {
  const { servers, first } = brief;
  if (servers === 0) return 'No server is configured: programs run without tools.';
  const shown = first
    .slice(0, maxNames)
    .map(({ name, tools, topic }) => `${name} (${[tools, topic].filter((part) => part !== undefined).join(' ')})`);
  const more = servers > shown.length ? ['…'] : [];
  const list = shown.length > 0 ? `: ${[...shown, ...more].join(', ')}` : '';
  return `${numbers(brief)}${list}`;
}

/**
 * Returns a text for the system prompt of a task: the use of the tools, and the servers. A sentence about resources follows if servers have
 * some. Waits `waitMs` at most for the tools of servers, and as long for their resources.
 */
export async function instructionsFor(
  toolwright: Toolwright,
  { userId, waitMs }: { readonly userId: string; readonly waitMs: number },
): Promise<string> {
  const servers = await toolwright.servers({ load: true, waitMs });
  const hasResources = await Promise.race([
    toolwright.context.hasResources({ userId }).catch(() => false),
    sleep(waitMs, false, { ref: false }),
  ]);
  const text = serversText(inBrief(servers, await toolwright.tools({ waitMs: 0 })), await loadTokenizer());
  return `${USE} ${text}${hasResources ? `\n${RESOURCES}` : ''}`;
}

function numbers({ tools, servers }: ServersInBrief): string {
  return `${count(tools, 'tool')} of ${count(servers, 'server')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Returns the word that most tool names of a server share, other than verbs and words of the server's name; undefined without one. */
function topicOf(server: string, tools: readonly Tool[]): string | undefined {
  const own = new Set(wordsOf(server));
  const counts = new Map<string, number>();
  for (const { definition } of tools)
    for (const word of new Set(wordsOf(definition.name)))
      if (!COMMON.has(word) && !own.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  // Of two words, the later one is the noun: translate_document.
  const [best] = [...counts].reverse().sort(([, one], [, other]) => other - one);
  return best?.[0];
}

/** Returns the words of a name in lower case and without a plural s. */
function wordsOf(name: string): string[] {
  return (name.match(WORD) ?? [])
    .map((word) => word.toLowerCase().replace(/(?<=[^s]{2})s$/, ''))
    .filter((word) => word.length <= MAX_CHARACTERS);
}
