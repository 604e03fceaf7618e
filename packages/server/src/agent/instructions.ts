import type { ServerSummary, Tool } from '@toolwright/core';

/** Up to this number of tools, the instructions name all tools, so that no search is needed. */
export const MAX_INDEXED_TOOLS = 150;
/** Characters of the index. Instead of a longer index, the instructions name only the servers. */
const MAX_INDEX_CHARACTERS = 8_000;
/** Number of named servers when there are many tools. */
const MAX_NAMED_SERVERS = 10;

const USE = `Let one execute_code program make all calls and return only what you need.`;

/** Instructions before the first server has listed its tools. */
export const UNKNOWN_TOOLS: string = `${USE} The servers are still starting: find tools by search_tools.`;

/** Returns the instructions of the MCP server for models: its use and its tools. The length is bounded. */
export function instructionsFor(servers: readonly ServerSummary[], tools: readonly Tool[]): string {
  if (servers.length === 0) return `${USE} No server is configured: programs run without tools.`;
  return `${USE}\n${indexOf(servers, tools) ?? countsOf(servers, tools)}`;
}

/** Returns the names of all tools by server; undefined when there are too many. */
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

/** Returns tool names without the prefix `server__`. An id without that prefix is returned unchanged. */
function namesOf({ name }: ServerSummary, tools: readonly Tool[]): string[] {
  const prefix = `${name}__`;
  return tools
    .filter(({ server }) => server === name)
    .map(({ id }) => (id.startsWith(prefix) ? id.slice(prefix.length) : id));
}

function stateOf({ status }: ServerSummary): string {
  return status.state === 'failed' ? 'failed to start' : 'starting, found by search_tools';
}
