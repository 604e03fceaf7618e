import { type Tool, type ToolLanguage, toolId } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { ToolwrightError } from '../errors.ts';
import { serversOfCategory } from './categories.ts';
import type { KnownTools } from './known-tools.ts';
import { suggest } from './names/suggest.ts';
import type { Profile } from './profiles/profile.ts';
import { notReadyNote, searchHint } from './search/answer/notes.ts';
import type { ServerState } from './server-state.ts';
import { type Servers, unavailableServer, unreadyServers } from './servers.ts';
import type { PythonLocations } from './signatures/python/locations.ts';
import type { SignatureBudget } from './signatures/signature.ts';
import type { ToolWriter } from './signatures/writer.ts';

/** Finds tools by name, listing only the servers that the name can belong to. */
export interface ToolLookup {
  /** The tools of one server. Raises `UNKNOWN_SERVER`, or the server's error when it could not list its tools. */
  listedTools(
    server: string,
    language?: ToolLanguage,
  ): Promise<{ readonly server: ServerState; readonly tools: readonly Tool[] }>;
  /** The tool with this id. Raises `UNKNOWN_TOOL` with the most similar names. */
  find(id: string, language?: ToolLanguage): Promise<Tool>;
  /** The tool of a category with this id or own name. Raises `UNKNOWN_TOOL`, `UNKNOWN_SERVER`. */
  inCategory(category: string, name: string): Promise<Tool>;
  /** Whether a tool with this id is known now. */
  isTool(id: string): boolean;
  /** The tool at a Python path, `servers.<module>.<function>`; undefined when there is none. */
  atPythonPath(path: string): Promise<Tool | undefined>;
}

export interface ToolLookupOptions {
  readonly servers: Servers;
  readonly tools: KnownTools;
  readonly locations: PythonLocations;
  /** Returns why a tool is hidden, and the fix. */
  readonly quarantineOf: (id: string) => string | undefined;
  /** The profile that has these tools. */
  readonly profile?: Profile | undefined;
  /** Returns why the profile lacks a tool. */
  readonly noteOf?: ((id: string) => string) | undefined;
  readonly writers: Readonly<Record<ToolLanguage, ToolWriter>>;
  /** Milliseconds that the search for similar names waits for other servers. */
  readonly searchWaitMs: number;
}

/** Tools that the error of an unknown name shows when no name is similar, and the approximate tokens of each. */
const MAX_FOUND = 2;
const FOUND: SignatureBudget = { arguments: 16, result: 8 };

/** Creates the lookup over the servers and the known tools of a catalog. */
export function createToolLookup({
  servers,
  tools,
  locations,
  writers,
  searchWaitMs,
  quarantineOf,
  profile,
  noteOf = () => '',
}: ToolLookupOptions): ToolLookup {
  async function listedTools(name: string, language?: ToolLanguage) {
    const server = servers.find(name, language);
    await servers.refresh([server], { retry: true });
    if (!server.listed()) throw unavailableServer(server);
    return { server, tools: tools.of(server.name) };
  }

  async function find(id: string, language: ToolLanguage = 'typescript'): Promise<Tool> {
    const known = tools.byId(id);
    const home = known && servers.named(known.server);
    if (known && home?.fresh()) return known;
    const owners = home ? [home] : servers.owners(id);
    await servers.refresh(owners, { retry: true });
    const tool = tools.byId(id);
    if (tool) return tool;
    refuseHidden([id], quarantineOf);
    const unlisted = owners.find((candidate) => !candidate.listed());
    if (unlisted) throw unavailableServer(unlisted);
    for (const owner of owners) {
      const left = owner.omitted().find(({ name }) => toolId(owner.name, name) === id);
      if (left && (profile?.has({ id, server: owner.name }) ?? true)) throw omittedTool(id, left.problem);
    }
    await servers.refresh(servers.all, { retry: false, waitMs: searchWaitMs });
    throw unknownTool(id, writers[language]);
  }

  function unknownTool(id: string, writer: ToolWriter): ToolwrightError {
    const suggestions = suggest(id, tools.ids(), 3);
    const best = tools.byId(suggestions[0] ?? '');
    const hint = best
      ? `Did you mean ${suggestions.join(', ')}?\n${writer.signature(best)}`
      : (foundByWords(id, tools, writer) ?? searchHint(servers.all.length));
    const note = notReadyNote(unreadyServers(servers.all), servers.all.length);
    const lines = [`Unknown tool "${shorten(id, 40)}". ${noteOf(id)}${hint}`, ...(note === undefined ? [] : [note])];
    return new ToolwrightError('UNKNOWN_TOOL', lines.join('\n'), { details: { suggestions } });
  }

  async function inCategory(category: string, name: string): Promise<Tool> {
    const inside = serversOfCategory(category, servers);
    await servers.refresh(inside, { retry: true });
    const all = inside.flatMap((server) => tools.of(server.name));
    const found = all.find(({ id, definition }) => id === name || definition.name === name);
    if (found) return found;
    refuseHidden([name, ...inside.map((server) => toolId(server.name, name))], quarantineOf);
    const unlisted = inside.find((server) => !server.listed());
    if (unlisted) throw unavailableServer(unlisted);
    const ids = all.map(({ id }) => id);
    const suggestions = suggest(name, ids, 3);
    const hint = suggestions.length > 0 ? `Did you mean ${suggestions.join(', ')}?` : searchHint(servers.all.length);
    const message = `The category "${shorten(category, 30)}" has no tool "${shorten(name, 40)}". ${hint}`;
    throw new ToolwrightError('UNKNOWN_TOOL', message, { details: { suggestions } });
  }

  return {
    listedTools,
    find,
    inCategory,
    isTool: (id) => tools.byId(id) !== undefined,
    async atPythonPath(path) {
      const [, module = '', name = ''] = /^(?:servers\.)?([^.]+)\.([^.]+)$/.exec(path) ?? [];
      const server = locations.server(module);
      if (server === undefined) return undefined;
      await listedTools(server);
      return locations.tool(server, name);
    },
  };
}

/** Raises `TOOL_QUARANTINED` if one of these tools is hidden. */
function refuseHidden(ids: readonly string[], quarantineOf: ToolLookupOptions['quarantineOf']): void {
  for (const id of ids) {
    const problem = quarantineOf(id);
    if (problem !== undefined) throw new ToolwrightError('TOOL_QUARANTINED', problem, { details: { tool: id } });
  }
}

/** Saves the model a search: an invented name usually has the words of a query. */
function foundByWords(id: string, tools: KnownTools, writer: ToolWriter): string | undefined {
  const found = tools.index.search(shorten(id, 40), { limit: MAX_FOUND });
  if (found.length === 0) return undefined;
  return ['A search finds:', ...found.map(({ tool }) => writer.signature(tool, FOUND))].join('\n');
}

function omittedTool(id: string, problem: string): ToolwrightError {
  const message = `The tool "${shorten(id, 40)}" is left out: ${problem}. Use another tool, and report it to its server.`;
  return new ToolwrightError('UNKNOWN_TOOL', message, { details: { suggestions: [] } });
}
