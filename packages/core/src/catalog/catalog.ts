import type { Connector, ConnectorStatus } from '../connectors/connector.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Observations } from './inferred-types/store.ts';
import { serverSlugs, shortHash } from './names.ts';
import { createPythonLocations } from './python/locations.ts';
import { pythonWriter } from './python/writer.ts';
import type { ResolvedTool } from './resolved-tool.ts';
import { createToolIndex } from './search.ts';
import {
  mergeMatches,
  notReadyNote,
  type SearchAnswer,
  type SearchableSkill,
  searchAnswer,
  searchHit,
} from './search-answer.ts';
import { type ServerState, watchServer } from './server-state.ts';
import { toolSummary } from './signature.ts';
import { suggest } from './suggest.ts';
import { shorten } from './text.ts';
import { fitHits } from './token-budget.ts';
import { type Detail, type Tool, type ToolDefinition, type ToolLanguage, toolId } from './tool.ts';
import { TYPESCRIPT_WRITER } from './writer.ts';

/** One upstream as the catalog sees it. */
export interface ServerSummary {
  readonly name: string;
  /** Its guest module is `./servers/<slug>/index.js`. */
  readonly slug: string;
  /** Its guest module is `servers.<pythonModule>` in Python. */
  readonly pythonModule: string;
  readonly description?: string;
  readonly status: ConnectorStatus;
  /** Tools that are known so far. */
  readonly toolCount: number;
}

/** All tools of all upstreams: found, described and resolved by their catalog-wide names. */
export interface Catalog extends AsyncDisposable {
  servers(): readonly ServerSummary[];
  /** Lists the tools of all upstreams (or one) in parallel; resolves when each answered or failed, or `waitMs` passed. Never rejects. */
  load(options?: { readonly server?: string; readonly waitMs?: number }): Promise<void>;
  /** Tools whose id or server's name contains `filter`, ordered by id; waits no longer than a search does, or `waitMs`. */
  list(filter?: string, waitMs?: number): Promise<readonly Tool[]>;
  /** The tools of one upstream, which can be named like that of {@link module}. */
  toolsOf(server: string, language?: ToolLanguage): Promise<{ readonly name: string; readonly tools: readonly Tool[] }>;
  /** One tool. Asks only upstreams that the id's prefix names; `UNKNOWN_TOOL` says which tool was probably meant. */
  tool(id: string): Promise<Tool>;
  /** The best tools for each query, merged. `limit` is for each query: 5 by default; 50 hits at most. */
  search(
    queries: readonly string[],
    options?: {
      readonly server?: string;
      readonly limit?: number;
      readonly language?: ToolLanguage;
      /** What only this search finds, when it is not of one server: the skills of who asks. */
      readonly searchableSkills?: readonly SearchableSkill[];
    },
  ): Promise<SearchAnswer>;
  /**
   * One line (`signature`, the default), the whole declaration (`docs`), or what the upstream sent (`schema`, JSON). In Python
   * a tool can also be named as its signature names it: `servers.<module>.<function>`.
   */
  describe(id: string, detail?: Detail, language?: ToolLanguage): Promise<string>;
  /** Returns a tool and its connector. Raises `UNKNOWN_TOOL` like {@link tool}, with a signature in `language`. */
  resolve(id: string, language?: ToolLanguage): Promise<ResolvedTool>;
  /**
   * Remembers what an undeclared result looks like. All users are told of it: what is data in it, as values that stand in
   * keys, has to be replaced before.
   */
  observe(tool: Tool, result: unknown): void;
  /**
   * Source of an upstream's guest module, JavaScript unless the language is Python; `UNKNOWN_SERVER` says which one was
   * probably meant. An upstream can be named by its own name, its slug, and in Python by its module.
   */
  module(server: string, language?: ToolLanguage): Promise<string>;
  /** Declarations of an upstream's guest module: `.d.ts`, or `.pyi` in Python. */
  declarations(server: string, language?: ToolLanguage): Promise<string>;
  /** A fingerprint of all tools that are known now: names, descriptions and schemas, in whatever order they came. */
  hash(): string;
}

/** Where a catalog's tools come from, and how patient it is. */
export interface CatalogOptions {
  /** Closed together with the catalog. Their names must differ. */
  readonly connectors: readonly Connector[];
  /** Milliseconds from its start that searches wait for an upstream's tools; 2,000 by default. A slow one is waited for once. */
  readonly searchWaitMs?: number;
  /** Remembers what results look like; without it, only what tools declare is told. */
  readonly observations?: Observations | undefined;
  /** Told when an upstream cannot list its tools. */
  readonly log?: { warn(details: object, message: string): void };
}

const DEFAULT_LIMIT = 5;
const MAX_HITS = 50;

/** Creates the catalog of these connectors. Connects to none of them before it is asked something. */
export function createCatalog({ connectors, searchWaitMs = 2_000, observations, log }: CatalogOptions): Catalog {
  const slugs = serverSlugs(connectors.map(({ name }) => name));
  if (slugs.size < connectors.length) {
    throw new ToolwrightError('CONFIG_INVALID', 'Two servers have the same name; give each its own.');
  }
  const locations = createPythonLocations(slugs);
  const writers = { typescript: TYPESCRIPT_WRITER, python: pythonWriter(locations.of) };
  const index = createToolIndex();
  const byServer = new Map<string, readonly Tool[]>();
  const byId = new Map<string, Tool>();
  let fingerprint: string | undefined;
  const serverStates = connectors.map((connector) =>
    watchServer(
      connector,
      slugs.get(connector.name) ?? connector.name,
      (definitions) => adopt(connector, definitions),
      (problem) => log?.warn({ server: connector.name, problem }, 'could not list the tools of a server'),
    ),
  );

  const byName = new Map(serverStates.map((serverState) => [serverState.name, serverState]));

  function adopt({ name: server, description }: Connector, definitions: readonly ToolDefinition[]): void {
    for (const { id } of byServer.get(server) ?? []) byId.delete(id);
    const tools = definitions.map(
      (definition): Tool => ({
        id: uniqueId(server, definition.name),
        server,
        definition,
        get observed() {
          return definition.outputSchema === undefined ? observations?.schemaOf(this) : undefined;
        },
      }),
    );
    for (const tool of tools) byId.set(tool.id, tool);
    byServer.set(server, tools);
    locations.set(server, tools);
    index.set(server, { description, tools });
    fingerprint = undefined;
  }

  /** Of two servers `a` and `a__b`, the longer name owns ids that start with it; no listing has to be awaited to tell. */
  function uniqueId(server: string, name: string): string {
    const id = toolId(server, name);
    const [owner] = owners(id);
    return owner?.name === server ? id : `${id}_${shortHash(JSON.stringify([server, name]), 8)}`;
  }

  /** The upstreams that an id's prefix names, the longest name first. */
  function owners(id: string): ServerState[] {
    return serverStates
      .filter(({ name }) => id.startsWith(toolId(name, '')))
      .sort((a, b) => b.name.length - a.name.length);
  }

  async function refresh(wanted: readonly ServerState[], waitMs: number | undefined, retry: boolean): Promise<void> {
    await Promise.all(wanted.map((serverState) => serverState.refresh({ retry, waitMs })));
  }

  function serverState(wanted: string, language: ToolLanguage = 'typescript'): ServerState {
    const python = language === 'python';
    const found =
      (python && byName.get(locations.server(wanted) ?? '')) ||
      byName.get(wanted) ||
      serverStates.find(({ slug }) => slug === wanted);
    if (found) return found;
    const all = serverStates.map(({ name }) => (python ? locations.module(name) : name));
    const names = python ? all : serverStates.flatMap(({ name, slug }) => [name, slug]);
    const near = suggest(wanted, new Set(names), 3);
    const known =
      all.length === 0
        ? 'No server is configured.'
        : `The servers are: ${all.slice(0, 20).join(', ')}${all.length > 20 ? ', …' : ''}.`;
    const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : known;
    throw new ToolwrightError('UNKNOWN_SERVER', `Unknown server "${shorten(wanted, 30)}". ${hint}`, {
      details: { suggestions: near },
    });
  }

  async function listedTools(
    server: string,
    language?: ToolLanguage,
  ): Promise<{ found: ServerState; tools: readonly Tool[] }> {
    const found = serverState(server, language);
    await refresh([found], undefined, true);
    if (!found.listed()) throw unavailable(found);
    return { found, tools: byServer.get(found.name) ?? [] };
  }

  async function findTool(id: string, language: ToolLanguage = 'typescript'): Promise<Tool> {
    const known = byId.get(id);
    const home = known && byName.get(known.server);
    if (known && home?.fresh()) return known;
    const owning = home ? [home] : owners(id);
    await refresh(owning, undefined, true);
    const tool = byId.get(id);
    if (tool) return tool;
    const down = owning.find((candidate) => !candidate.listed());
    if (down) throw unavailable(down);
    await refresh(serverStates, searchWaitMs, false);
    const near = suggest(id, byId.keys(), 3);
    const best = byId.get(near[0] ?? '');
    const hint = best
      ? `Did you mean ${near.join(', ')}?\n${writers[language].signature(best)}`
      : searchHint(connectors.length);
    const text = [`Unknown tool "${shorten(id, 40)}". ${hint}`, note(serverStates)].filter(
      (line) => line !== undefined,
    );
    throw new ToolwrightError('UNKNOWN_TOOL', text.join('\n'), {
      details: { suggestions: near },
    });
  }

  /** The tool that a Python program calls so: `servers.<module>.<function>`. */
  async function toolAt(path: string): Promise<Tool | undefined> {
    const [, module = '', name = ''] = /^(?:servers\.)?([^.]+)\.([^.]+)$/.exec(path) ?? [];
    const server = locations.server(module);
    if (server === undefined) return undefined;
    await listedTools(server);
    return locations.tool(server, name);
  }

  function note(searched: readonly ServerState[]): string | undefined {
    const missing = searched
      .filter((candidate) => !candidate.listed() || candidate.failure() !== undefined)
      .map((candidate) => {
        const failure = candidate.failure();
        return { name: candidate.name, ...(failure === undefined ? {} : { problem: messageOf(failure) }) };
      });
    return notReadyNote(missing, searched.length);
  }

  return {
    servers: () =>
      serverStates.map(({ name, slug, connector }) => ({
        name,
        slug,
        pythonModule: locations.module(name),
        ...(connector.description === undefined ? {} : { description: connector.description }),
        status: connector.status(),
        toolCount: byServer.get(name)?.length ?? 0,
      })),
    async load({ server, waitMs } = {}) {
      const wanted = serverStates.filter(
        ({ name, slug }) => server === undefined || name === server || slug === server,
      );
      await refresh(wanted, waitMs, true);
    },
    async list(filter = '', waitMs = searchWaitMs) {
      await refresh(serverStates, waitMs, false);
      const wanted = filter.toLowerCase();
      return [...byId.values()]
        .filter(({ id, server }) => id.toLowerCase().includes(wanted) || server.toLowerCase().includes(wanted))
        .sort(byIdOrder);
    },
    async toolsOf(server, language) {
      const { found, tools } = await listedTools(server, language);
      return { name: found.name, tools };
    },
    tool: (id) => findTool(id),
    async search(queries, { server, limit = DEFAULT_LIMIT, language = 'typescript', searchableSkills = [] } = {}) {
      const writer = writers[language];
      const searched = server === undefined ? serverStates : [serverState(server, language)];
      await refresh(searched, searchWaitMs, false);
      const only = server === undefined ? undefined : searched[0]?.name;
      const perQuery = Math.max(1, Math.min(MAX_HITS, Math.floor(limit) || DEFAULT_LIMIT));
      const extra = only === undefined ? searchableSkills : [];
      const matches = index.withTools(
        extra.map(({ tool }) => tool),
        () => queries.map((query) => index.search(query, { server: only, limit: perQuery })),
      );
      const hits = await fitHits(mergeMatches(matches, MAX_HITS), (match, brief) =>
        searchHit(match, writer, extra, brief),
      );
      const notes = [hits.length === 0 ? nothingFound(byId.size, connectors.length) : undefined, note(searched)];
      const noteText = notes.filter((line) => line !== undefined).join('\n');
      return searchAnswer(hits, noteText === '' ? undefined : noteText);
    },
    async describe(id, detail = 'signature', language = 'typescript') {
      const writer = writers[language];
      const tool = (language === 'python' && (await toolAt(id))) || (await findTool(id, language));
      if (detail === 'docs') return writer.docs(tool);
      if (detail === 'schema') return schemaText(tool);
      const summary = toolSummary(tool);
      return summary === ''
        ? writer.signature(tool)
        : `${writer.signature(tool)}
  ${summary}`;
    },
    async resolve(id, language = 'typescript') {
      const tool = await findTool(id, language);
      const { connector } = serverState(tool.server);
      return { tool, connector, writer: writers[language] };
    },
    observe(tool, result) {
      if (tool.definition.outputSchema === undefined) observations?.record(tool, result);
    },
    async module(server, language = 'typescript') {
      const { found, tools } = await listedTools(server, language);
      return writers[language].module(found.name, tools);
    },
    async declarations(server, language = 'typescript') {
      const { found, tools } = await listedTools(server, language);
      return writers[language].declarations(found.name, tools);
    },
    hash() {
      fingerprint ??= fingerprintOf([...byId.values()].sort(byIdOrder));
      return fingerprint;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(serverStates.map((candidate) => candidate.close()));
      observations?.[Symbol.dispose]();
    },
  };
}

function unavailable(serverState: ServerState): ToolwrightError {
  const failure = serverState.failure();
  if (failure instanceof ToolwrightError) return failure;
  const problem = `Server "${serverState.name}" could not list its tools: ${messageOf(failure)}`;
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', problem, { cause: failure });
}

/** What to do about a tool that nobody knows. */
export function searchHint(serverCount: number): string {
  return serverCount === 0 ? NO_SERVER : 'Search for it: search_tools("what it should do").';
}

const NO_SERVER = 'No server is configured: there are no tools.';

function nothingFound(known: number, serverCount: number): string {
  if (serverCount === 0) return NO_SERVER;
  return known === 0
    ? 'No tools found: no server has any yet.'
    : `No tools found among ${known}. Try other words for what the tool does, or list_mcp_tools().`;
}

function schemaText({ id, definition }: Tool): string {
  const { description, inputSchema, outputSchema, annotations } = definition;
  return JSON.stringify({ name: id, description, inputSchema, outputSchema, annotations });
}

function byIdOrder(a: Tool, b: Tool): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
