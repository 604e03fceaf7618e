import { toolId } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import type { ServerState } from '../../server-state.ts';

const NO_SERVER = 'No server is configured: there are no tools.';
const MAX_NAMED_SERVERS = 5;
const MAX_NAMED_TOOLS = 5;

/** A server whose tools could not be searched, with the reason when its listing failed. */
export interface UnreadyServer {
  readonly name: string;
  readonly problem?: string;
}

/** Returns advice for a tool name that no server has. */
export function searchHint(serverCount: number): string {
  return serverCount === 0 ? NO_SERVER : 'Search for it: search_tools("what it should do").';
}

/** Returns the note of a search without hits among `known` tools. */
export function nothingFoundNote(known: number, serverCount: number): string {
  if (serverCount === 0) return NO_SERVER;
  return known === 0
    ? 'No tools found: no server has listed its tools yet.'
    : `No tools found among ${known}. Try other words for what the tool does, or list_mcp_tools().`;
}

/** Names the function of programs that reads data from a text, where a query asks for it: no server offers it. */
export function extractNote(queries: readonly string[]): string | undefined {
  const isAsked = queries.some((query) => /\b(?:extract|pars(?:e|es|ing)\b)/i.test(query));
  return isAsked ? 'In programs, await extract(text, schema) reads data from a text.' : undefined;
}

/** Names the tools that are left out because they are unusable. Returns undefined when there are none. */
export function omittedNote(servers: readonly ServerState[]): string | undefined {
  const all = servers.flatMap(({ name, omitted }) =>
    omitted().map((tool) => `${shorten(toolId(name, tool.name), 20)} (${tool.problem})`),
  );
  if (all.length === 0) return undefined;
  const more = all.length > MAX_NAMED_TOOLS ? `, and ${all.length - MAX_NAMED_TOOLS} more` : '';
  return `Left out: ${all.slice(0, MAX_NAMED_TOOLS).join(', ')}${more}`;
}

/** Names the servers whose tools could not be searched. Returns undefined when there are none. */
export function notReadyNote(missing: readonly UnreadyServer[], total: number): string | undefined {
  if (missing.length === 0) return undefined;
  const named = missing
    .slice(0, MAX_NAMED_SERVERS)
    .map(
      ({ name, problem }) =>
        `${shorten(name, 20)} (${problem === undefined ? 'starting' : `failed: ${shorten(problem, 30)}`})`,
    );
  if (missing.length > MAX_NAMED_SERVERS) named.push(`and ${missing.length - MAX_NAMED_SERVERS} more`);
  return `${missing.length} of ${total} servers ${missing.length === 1 ? 'is' : 'are'} not ready: ${named.join(', ')}`;
}
