import type { Connector, ConnectorStatus } from '../connectors/connector.ts';
import { ToolwrightError } from '../errors.ts';
import type { Observations } from './inferred-types/store.ts';
import { createKnownTools } from './known-tools.ts';
import { shortHash } from './names/hash.ts';
import { serverSlugs } from './names/slugs.ts';
import type { ResolvedTool } from './resolved-tool.ts';
import type { SearchAnswer } from './search/answer.ts';
import { type SearchOptions, searchTools } from './search/search-tools.ts';
import { watchServers } from './servers.ts';
import { createPythonLocations } from './signatures/python/locations.ts';
import { pythonWriter } from './signatures/python/writer.ts';
import { toolSummary } from './signatures/signature.ts';
import { TYPESCRIPT_WRITER } from './signatures/typescript/writer.ts';
import type { ToolWriter } from './signatures/writer.ts';
import { type Detail, type Tool, type ToolLanguage, toolId } from './tool.ts';
import { createToolLookup } from './tool-lookup.ts';

/** One server of a catalog. */
export interface ServerSummary {
  readonly name: string;
  /** Its guest module is `./servers/<slug>/index.js`. */
  readonly slug: string;
  /** Its guest module is `servers.<pythonModule>` in Python. */
  readonly pythonModule: string;
  readonly description?: string;
  readonly status: ConnectorStatus;
  /** The number of tools that are known so far. */
  readonly toolCount: number;
}

/** All tools of all servers: finds, describes and resolves them by their catalog-wide ids. */
export interface Catalog extends AsyncDisposable {
  servers(): readonly ServerSummary[];
  /** Lists the tools of all servers (or one) in parallel. Resolves when each answered or failed, or after `waitMs`. Never rejects. */
  load(options?: { readonly server?: string; readonly waitMs?: number }): Promise<void>;
  /** Returns the tools whose id or server name contains `filter`, ordered by id. Waits as long as a search, or `waitMs`. */
  list(filter?: string, waitMs?: number): Promise<readonly Tool[]>;
  /** Returns the tools of one server. `server` is one of the names that {@link module} accepts. */
  toolsOf(server: string, language?: ToolLanguage): Promise<{ readonly name: string; readonly tools: readonly Tool[] }>;
  /** Returns one tool. Lists only the servers that the id's prefix names. Raises `UNKNOWN_TOOL` with similar names. */
  tool(id: string): Promise<Tool>;
  /** Returns the best tools for each query, merged into one answer. */
  search(queries: readonly string[], options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * Describes a tool: one line (`signature`, the default), the whole declaration (`docs`), or the schemas that the server
   * sent (`schema`, JSON). In Python it also accepts the name in a signature: `servers.<module>.<function>`.
   */
  describe(id: string, detail?: Detail, language?: ToolLanguage): Promise<string>;
  /** Returns a tool and its connector. Raises `UNKNOWN_TOOL` like {@link tool}, with a signature in `language`. */
  resolve(id: string, language?: ToolLanguage): Promise<ResolvedTool>;
  /**
   * Records the types in the result of a tool that declares none. All users see the inferred types, so redact personal data
   * in keys first.
   */
  observe(tool: Tool, result: unknown): void;
  /**
   * Returns the source of a server's guest module, JavaScript unless the language is Python. A server is named by its own
   * name, its slug, or in Python its module. Raises `UNKNOWN_SERVER` with similar names.
   */
  module(server: string, language?: ToolLanguage): Promise<string>;
  /** Returns the declarations of a server's guest module: `.d.ts`, or `.pyi` in Python. */
  declarations(server: string, language?: ToolLanguage): Promise<string>;
  /** Returns a fingerprint of all known tools (names, descriptions, schemas). It does not depend on their order. */
  hash(): string;
}

/** The connectors of a catalog, and how long it waits for them. */
export interface CatalogOptions {
  /** The catalog closes them when it is closed. Their names must differ. */
  readonly connectors: readonly Connector[];
  /** Milliseconds that a search waits for a server's first listing, counted from its start; 2,000 by default. */
  readonly searchWaitMs?: number;
  /** Stores the types of results; without it, signatures show declared result types only. */
  readonly observations?: Observations | undefined;
  /** Receives a warning when a server cannot list its tools. */
  readonly log?: { warn(details: object, message: string): void };
}

/** Creates the catalog of these connectors. Connects to no server before the first request. Raises `CONFIG_INVALID`. */
export function createCatalog({ connectors, searchWaitMs = 2_000, observations, log }: CatalogOptions): Catalog {
  const slugs = serverSlugs(connectors.map(({ name }) => name));
  if (slugs.size < connectors.length) {
    throw new ToolwrightError('CONFIG_INVALID', 'Two servers have the same name. Give each server its own name.');
  }
  const locations = createPythonLocations(slugs);
  const writers = { typescript: TYPESCRIPT_WRITER, python: pythonWriter(locations.of) };
  const tools = createKnownTools({ locations, observations, idOf: uniqueId });
  const servers = watchServers({
    connectors,
    slugs,
    locations,
    onListed: tools.set,
    onFailed: ({ name }, problem) => log?.warn({ server: name, problem }, 'could not list the tools of a server'),
  });
  const lookup = createToolLookup({ servers, tools, locations, writers, searchWaitMs });

  /** Of two servers `a` and `a__b`, the longer name owns ids with its prefix. So no id depends on the listing order. */
  function uniqueId(server: string, name: string): string {
    const id = toolId(server, name);
    const [owner] = servers.owners(id);
    return owner?.name === server ? id : `${id}_${shortHash(JSON.stringify([server, name]), 8)}`;
  }

  return {
    servers: () =>
      servers.all.map(({ name, slug, connector }) => ({
        name,
        slug,
        pythonModule: locations.module(name),
        ...(connector.description === undefined ? {} : { description: connector.description }),
        status: connector.status(),
        toolCount: tools.of(name).length,
      })),
    async load({ server, waitMs } = {}) {
      const wanted = servers.all.filter(({ name, slug }) => server === undefined || name === server || slug === server);
      await servers.refresh(wanted, { retry: true, ...(waitMs === undefined ? {} : { waitMs }) });
    },
    async list(filter = '', waitMs = searchWaitMs) {
      await servers.refresh(servers.all, { retry: false, waitMs });
      const wanted = filter.toLowerCase();
      return tools
        .all()
        .filter(({ id, server }) => id.toLowerCase().includes(wanted) || server.toLowerCase().includes(wanted));
    },
    async toolsOf(name, language) {
      const listed = await lookup.listedTools(name, language);
      return { name: listed.server.name, tools: listed.tools };
    },
    tool: (id) => lookup.find(id),
    search: (queries, options = {}) => searchTools({ servers, tools, writers, waitMs: searchWaitMs }, queries, options),
    async describe(id, detail = 'signature', language = 'typescript') {
      const atPath = language === 'python' ? await lookup.atPythonPath(id) : undefined;
      return describeTool(atPath ?? (await lookup.find(id, language)), detail, writers[language]);
    },
    async resolve(id, language = 'typescript') {
      const tool = await lookup.find(id, language);
      const { connector } = servers.find(tool.server);
      return { tool, connector, writer: writers[language] };
    },
    observe(tool, result) {
      if (tool.definition.outputSchema === undefined) observations?.record(tool, result);
    },
    async module(name, language = 'typescript') {
      const listed = await lookup.listedTools(name, language);
      return writers[language].module(listed.server.name, listed.tools);
    },
    async declarations(name, language = 'typescript') {
      const listed = await lookup.listedTools(name, language);
      return writers[language].declarations(listed.server.name, listed.tools);
    },
    hash: tools.fingerprint,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(servers.all.map((server) => server.close()));
      observations?.[Symbol.dispose]();
    },
  };
}

function describeTool(tool: Tool, detail: Detail, writer: ToolWriter): string {
  if (detail === 'docs') return writer.docs(tool);
  if (detail === 'schema') {
    const { description, inputSchema, outputSchema, annotations } = tool.definition;
    return JSON.stringify({ name: tool.id, description, inputSchema, outputSchema, annotations });
  }
  const summary = toolSummary(tool);
  return summary === '' ? writer.signature(tool) : `${writer.signature(tool)}\n  ${summary}`;
}
