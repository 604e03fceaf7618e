import type { ServerSummary, Tool } from '@toolwright/core';

/** With at most so many tools the instructions name them all, so that no search is needed. */
export const MAX_INDEXED_TOOLS = 150;
/** Characters of the index; longer, and only servers are named. */
const MAX_INDEX_CHARACTERS = 8_000;
/** Servers that are named when there are many tools. */
const MAX_NAMED_SERVERS = 10;

const USE = `Let one execute_code program make all calls and return only what you need.`;

/** What is told when nothing is listed yet. */
export const UNKNOWN_TOOLS: string = `${USE} The servers are still starting: find tools by search_tools.`;

/** What a model is told of the server as a whole: how to use it, and which tools stand behind it. Bounded in length. */
export function instructionsFor(servers: readonly ServerSummary[], tools: readonly Tool[]): string {
  if (servers.length === 0) return `${USE} No server is configured: programs run without tools.`;
  return `${USE}\n${indexOf(servers, tools) ?? countsOf(servers, tools)}`;
}

/** The names of all tools by server; undefined when there are too many. */
export function indexOf(servers: readonly ServerSummary[], tools: readonly Tool[]): string | undefined {
  if (tools.length > MAX_INDEXED_TOOLS) return undefined;
  const lines = servers.map((server) => {
    const names = namesOf(server, tools);
    return names.length > 0 ? `${server.name}: ${names.join(' ')}` : `${server.name}: ${stateOf(server)}`;
  });
  const index = `All tools, by server, called as server__tool (types: get_tool_definition):\n${lines.join('\n')}`;
  return index.length > MAX_INDEX_CHARACTERS ? undefined : index;
}

function countsOf(servers: readonly ServerSummary[], tools: readonly Tool[]): string {
  const named = servers.slice(0, MAX_NAMED_SERVERS).map(({ name }) => name);
  if (servers.length > named.length) named.push(`${servers.length - named.length} more`);
  return `${tools.length} tools of ${servers.length} servers; find them by search_tools, here or in the program: ${named.join(', ')}`;
}

/** Names as they follow `server__`. A tool whose id differs from that is named by its id. */
function namesOf({ name }: ServerSummary, tools: readonly Tool[]): string[] {
  const prefix = `${name}__`;
  return tools
    .filter(({ server }) => server === name)
    .map(({ id }) => (id.startsWith(prefix) ? id.slice(prefix.length) : id));
}

function stateOf({ status }: ServerSummary): string {
  return status.state === 'failed' ? 'failed to start' : 'starting, found by search_tools';
}
