import type { ServerSummary, Tool } from '@toolwright/core';
import { shorten } from '@toolwright/core/internal';

/** The servers as instructions name them. */
export interface ServersInBrief {
  readonly tools: number;
  readonly servers: number;
  /** The names of the first servers. */
  readonly names: string[];
}

/** Named servers, at most. */
const MAX_NAMES = 10;
const NAME_TOKENS = 10;
const USE = 'Let one execute_code program make all calls and return only what you need.';

/** Instructions before the first server has listed its tools. */
export const UNKNOWN_TOOLS = 'The servers are still starting: find tools by search_tools.';

/** Returns the counts of servers and tools, and the names of the first servers. */
export function inBrief(servers: readonly ServerSummary[], tools: readonly Tool[]): ServersInBrief {
  const names = servers.slice(0, MAX_NAMES).map(({ name }) => shorten(name, NAME_TOKENS));
  return { tools: tools.length, servers: servers.length, names };
}

/** Returns one line about the servers, with at most `maxNames` names. */
export function serversLine({ tools, servers, names }: ServersInBrief, maxNames: number = MAX_NAMES): string {
  if (servers === 0) return 'No server is configured: programs run without tools.';
  const shown = names.slice(0, maxNames);
  const more = servers > shown.length ? ['…'] : [];
  const list = shown.length > 0 ? `: ${[...shown, ...more].join(', ')}` : '';
  return `${count(tools, 'tool')} of ${count(servers, 'server')}, found by search_tools${list}`;
}

/** Returns the use of the tools, and one line about the servers, for the system prompt of a task. */
export function instructionsFor(servers: readonly ServerSummary[], tools: readonly Tool[]): string {
  return `${USE} ${serversLine(inBrief(servers, tools))}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
