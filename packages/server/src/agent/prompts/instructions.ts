import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerSummary, Tool, Toolwright } from '@toolwright/core';
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

/** The sentence about resources, where servers have some. */
export const RESOURCES = 'Resources of servers: list_resources(), read_resource(uri).';

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

/**
 * Returns a text for the system prompt of a task: the use of the tools, and one line about the servers. A sentence about resources follows
 * if servers have some. Waits `waitMs` at most for the tools of servers, and as long for their resources.
 */
export async function instructionsFor(
  toolwright: Pick<Toolwright, 'servers' | 'tools' | 'context'>,
  { userId, waitMs }: { readonly userId: string; readonly waitMs: number },
): Promise<string> {
  const servers = await toolwright.servers({ load: true, waitMs });
  const hasResources = await Promise.race([
    toolwright.context.hasResources({ userId }).catch(() => false),
    sleep(waitMs, false, { ref: false }),
  ]);
  const line = serversLine(inBrief(servers, await toolwright.tools({ waitMs: 0 })));
  return `${USE} ${line}${hasResources ? `\n${RESOURCES}` : ''}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
