import type { ConnectorStatus, OmittedTool } from '@toolwright/connectors';
import { type Detail, type JsonSchema, type Tool, type ToolLanguage, toolId } from '@toolwright/connectors';
import { lazy } from '@toolwright/sandbox/internal';
import { type Subject, subjectOf, subjectText } from './details/describe.ts';
import { withLargeIntegers } from './inferred-types/large-integers.ts';
import type { KnownTools } from './known-tools.ts';
import type { Profile } from './profiles/profile.ts';
import type { ResolvedTool } from './resolved-tool.ts';
import type { SearchAnswer } from './search/answer/answer.ts';
import { notReadyNote } from './search/answer/notes.ts';
import { type SearchOptions, searchTools } from './search/search-tools.ts';
import { contextsOf, type ServerContexts } from './server-contexts.ts';
import type { ServerState } from './server-state.ts';
import { type Servers, unreadyServers } from './servers.ts';
import type { PythonLocations } from './signatures/python/locations.ts';
import { pythonWriter } from './signatures/python/writer.ts';
import { toolOfFunction } from './signatures/typescript/functions.ts';
import { TYPESCRIPT_WRITER } from './signatures/typescript/writer.ts';
import type { ToolWriter } from './signatures/writer.ts';
import { createToolLookup, type ToolLookup } from './tool-lookup.ts';
import type { UserUsage } from './usage/usage.ts';

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
  /** The tools that are left out because they are unusable; absent when there are none. */
  readonly omittedTools?: readonly OmittedTool[];
}

/** A description, with the tool or the server that it is about. */
export type SubjectDetails = { readonly text: string } & ({ readonly tool: Tool } | { readonly server: ServerState });

/** The tools of all servers. Those that it returns have declared types only; its texts show all types. */
export interface ToolCatalog {
  /** Name of the profile that has these tools. Undefined for all tools. */
  readonly profile?: string | undefined;
  /** Returns why the profile lacks a tool, as the start of a sentence; an empty text without a reason. */
  noteOf(id: string): string;
  servers(): readonly ServerSummary[];
  /** Lists the tools of all servers (or one) in parallel. Resolves when each answered or failed, or after `waitMs`. Never rejects. */
  load(options?: { readonly server?: string; readonly waitMs?: number }): Promise<void>;
  /** Starts the listing of new servers that a program names: it will need them soon. Does not wait, and ignores failures. */
  expect(program: string): void;
  /**
   * Returns the tools whose id or server name contains `filter`, ordered by id. Waits as long as a search, and for servers with such a name
   * until they have answered or failed; with `waitMs` no longer than that.
   */
  list(filter?: string, waitMs?: number): Promise<readonly Tool[]>;
  /** Names the servers whose tools are missing in an answer of {@link list}: they start, or have failed. Undefined without one. */
  notReady(filter?: string): string | undefined;
  /** Returns the tools of one server. `server` is one of the names that {@link module} accepts. */
  toolsOf(server: string, language?: ToolLanguage): Promise<{ readonly name: string; readonly tools: readonly Tool[] }>;
  /** Returns one tool. Lists only the servers that the id's prefix names. Raises `UNKNOWN_TOOL` with similar names. */
  tool(id: string): Promise<Tool>;
  /** Returns the best tools for each query, merged into one answer. */
  search(queries: readonly string[], options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * Describes a tool: one line (`signature`, the default), a shorter one without the result (`call`), or the declaration (`docs`).
   * A declaration has at most 16,000 characters; types that do not fit have names. `schema` is JSON with the server's schemas, of
   * any length. In Python it also accepts the name in a signature: `servers.<module>.<function>`. The name of a server gives its
   * description, instructions and tools. With a category, it lists the servers of the category, and accepts the tool's own name.
   * Raises `UNKNOWN_TOOL` with similar names, `UNKNOWN_SERVER`.
   */
  describe(id: string, detail?: Detail, language?: ToolLanguage, category?: string): Promise<string>;
  /** Returns the text of {@link describe} for `docs`, with the tool or the server that it is about. */
  details(name: string, language?: ToolLanguage, category?: string): Promise<SubjectDetails>;
  /** Returns a tool and its connector, at once if its server has listed it. Raises `UNKNOWN_TOOL` like {@link tool}, with a signature in `language`. */
  resolve(id: string, language?: ToolLanguage): ResolvedTool | Promise<ResolvedTool>;
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

/** The catalog as one program of a user sees it. It infers result types, and learns tools, from the calls of this user. */
export interface UserCatalog extends ToolCatalog {
  /** The resources and prompts of the servers. */
  readonly contexts: ServerContexts;
  /** Writes types and signatures in a language. */
  writer(language?: ToolLanguage): ToolWriter;
  /** Returns a tool with the types in earlier results, if it declares none or if they had whole numbers beyond ±(2⁵³-1). */
  withObserved(tool: Tool): Tool;
  /** Returns the known tool that has most of these words; undefined if none has half of them. Learns nothing. */
  nearest(words: string): Tool | undefined;
  /** Returns the tool of a function of a server's module, among the tools that are known now. */
  functionOf(server: string, name: string, language: ToolLanguage): Tool | undefined;
  /**
   * Records a successful call: the types in its result, and the searches that led to the tool. Types are recorded if the tool declares none,
   * or if the result has whole numbers beyond ±(2⁵³-1).
   */
  observe(tool: Tool, result: unknown, hasLargeIntegers?: boolean): void;
}

/** The parts of a catalog that all users share. */
export interface CatalogParts {
  readonly servers: Servers;
  readonly tools: KnownTools;
  readonly locations: PythonLocations;
  /** Milliseconds that a search waits for a server's first listing, counted from its start. */
  readonly searchWaitMs: number;
  /** Returns why a tool is hidden, and the fix. */
  readonly quarantineOf: (id: string) => string | undefined;
  /** The profile whose parts they are. Default: they are all parts. */
  readonly profile?: Profile;
  /** Returns why the profile lacks a tool; see `Profile.note`. */
  readonly noteOf?: (id: string) => string;
}

/** The inferred types of one user. */
export interface OwnTypes {
  /** Resolves when the types are read; undefined if they need no waiting. */
  ready(): Promise<void> | undefined;
  schemaOf(tool: Tool): JsonSchema | undefined;
  record(tool: Tool, result: unknown): void;
}

/** The share of its words that a tool must have, to be meant by an invented name. */
const NEAREST_COVERAGE = 0.5;
const NO_TYPES: OwnTypes = { ready: () => undefined, schemaOf: () => undefined, record: () => undefined };

/** Creates the catalog of one program of a user; of nobody without inferred types. */
export function createUserCatalog(parts: CatalogParts, types: OwnTypes = NO_TYPES, usage?: UserUsage): UserCatalog {
  const { servers, tools, searchWaitMs, profile } = parts;
  const withObserved = (tool: Tool): Tool => observedIn(tool, types);
  const writers = writersOf(parts, withObserved);
  let hasTypes = false;
  const lookup = lazy(() => afterTypes(createToolLookup({ ...parts, writers }), types));

  const subject = async (name: string, language: ToolLanguage, category?: string): Promise<Subject> =>
    category === undefined
      ? subjectOf(name, language, { lookup: lookup(), servers })
      : { tool: await lookup().inCategory(category, name), path: [] };

  return {
    profile: profile?.name,
    noteOf: parts.noteOf ?? (() => ''),
    withObserved,
    get contexts() {
      return contextsOf(servers, profile);
    },
    writer: (language = 'typescript') => writers[language],
    observe(tool, result, hasLargeIntegers) {
      if (tool.definition.outputSchema === undefined || hasLargeIntegers) types.record(tool, result);
      usage?.called(tool);
    },
    nearest(words) {
      const [best] = tools.index.search(words, { limit: 1 });
      return best !== undefined && best.coverage >= NEAREST_COVERAGE ? best.tool : undefined;
    },
    functionOf: (...named) => functionOf(parts, ...named),
    servers: () => summariesOf(parts),
    async load({ server, waitMs } = {}) {
      const wanted = servers.all.filter(({ name, slug }) => server === undefined || name === server || slug === server);
      await servers.refresh(wanted, { retry: true, waitMs });
    },
    expect: (program) => listNamed(program, parts),
    list: (filter = '', waitMs) => listTools(filter, waitMs, parts),
    notReady(filter = '') {
      const named = serversWith(filter, servers);
      const asked = named.length > 0 ? named : servers.all;
      return notReadyNote(unreadyServers(asked), asked.length);
    },
    async toolsOf(name, language) {
      const listed = await lookup().listedTools(name, language);
      return { name: listed.server.name, tools: listed.tools };
    },
    tool: (id) => lookup().find(id),
    async search(queries, options = {}) {
      await types.ready();
      return searchTools({ servers, tools, writers, usage, waitMs: searchWaitMs }, queries, options);
    },
    describe: async (id, detail = 'signature', language = 'typescript', category) =>
      subjectText(await subject(id, language, category), detail, writers[language]),
    async details(name, language = 'typescript', category) {
      const found = await subject(name, language, category);
      const text = subjectText(found, 'docs', writers[language]);
      return 'tool' in found ? { text, tool: found.tool } : { text, server: found.server };
    },
    resolve(id, language = 'typescript') {
      const writer = writers[language];
      const known = tools.byId(id);
      const home = known && servers.named(known.server);
      hasTypes ||= types.ready() === undefined;
      if (hasTypes && known && home?.fresh()) return { tool: known, connector: home.connector, writer };
      return lookup()
        .find(id, language)
        .then((tool) => ({ tool, connector: servers.find(tool.server).connector, writer }));
    },
    async module(name, language = 'typescript') {
      const listed = await lookup().listedTools(name, language);
      return writers[language].module(listed.server.name, listed.tools);
    },
    async declarations(name, language = 'typescript') {
      const listed = await lookup().listedTools(name, language);
      return writers[language].declarations(listed.server.name, listed.tools);
    },
    hash: tools.fingerprint,
  };
}

function summariesOf({ servers, tools, locations, profile }: CatalogParts): ServerSummary[] {
  return servers.all.map(({ name, slug, connector, omitted, status }) => {
    const omittedTools = omitted().filter(
      (tool) => profile?.has({ id: toolId(name, tool.name), server: name }) ?? true,
    );
    return {
      name,
      slug,
      pythonModule: locations.module(name),
      description: connector.description,
      status: status(),
      toolCount: tools.of(name).length,
      omittedTools: omittedTools.length === 0 ? undefined : omittedTools,
    };
  });
}

function functionOf(
  { servers, tools, locations }: CatalogParts,
  ...[server, name, language]: Parameters<UserCatalog['functionOf']>
): Tool | undefined {
  const found = servers.known(server, language)?.name;
  if (found === undefined) return undefined;
  return language === 'python' ? locations.tool(found, name) : toolOfFunction(tools.of(found), name);
}

/** Starts the listing of the servers that a program names and that were never listed. */
function listNamed(program: string, { servers, locations }: CatalogParts): void {
  const named = servers.all.filter(
    ({ name, slug, listed }) =>
      !listed() && [name, slug, locations.module(name)].some((text) => program.includes(text)),
  );
  if (named.length > 0) void servers.refresh(named, { retry: false });
}

/** Returns a lookup whose tools are found when the inferred types of the user are read. */
function afterTypes(lookup: ToolLookup, { ready }: OwnTypes): ToolLookup {
  return {
    ...lookup,
    async find(...given) {
      const reading = ready();
      return reading ? (await Promise.all([lookup.find(...given), reading]))[0] : lookup.find(...given);
    },
    inCategory: async (...given) => (await Promise.all([lookup.inCategory(...given), ready()]))[0],
    atPythonPath: async (...given) => (await Promise.all([lookup.atPythonPath(...given), ready()]))[0],
    listedTools: async (...given) => (await Promise.all([lookup.listedTools(...given), ready()]))[0],
  };
}

/** Returns the writers of all languages. A writer takes the place of its getter at its first use: each call needs one. */
function writersOf({ locations }: CatalogParts, withObserved: (tool: Tool) => Tool): Record<ToolLanguage, ToolWriter> {
  const made = (language: ToolLanguage, writer: ToolWriter) => {
    const value = observing(writer, withObserved);
    Object.defineProperty(writers, language, { value });
    return value;
  };
  const writers = {
    get typescript() {
      return made('typescript', TYPESCRIPT_WRITER);
    },
    get python() {
      return made('python', pythonWriter(locations.of));
    },
  };
  return writers;
}

/** Returns a writer that shows the inferred types of one user. */
function observing(writer: ToolWriter, withObserved: (tool: Tool) => Tool): ToolWriter {
  return {
    types: writer.types,
    signature: (tool, budget) => writer.signature(withObserved(tool), budget),
    docs: (tool) => writer.docs(withObserved(tool)),
    outline: (tool) => writer.outline(withObserved(tool)),
    comment: writer.comment,
    module: (server, tools) => writer.module(server, tools.map(withObserved)),
    declarations: (server, tools) => writer.declarations(server, tools.map(withObserved)),
  };
}

function observedIn(tool: Tool, types: OwnTypes): Tool {
  const { outputSchema } = tool.definition;
  const seen = types.schemaOf(tool);
  const observed = outputSchema === undefined || seen === undefined ? seen : withLargeIntegers(outputSchema, seen);
  return observed === undefined ? tool : { ...tool, observed };
}

async function listTools(
  filter: string,
  waitMs: number | undefined,
  { servers, tools, searchWaitMs }: CatalogParts,
): Promise<Tool[]> {
  await servers.refresh(servers.all, { retry: false, waitMs: waitMs ?? searchWaitMs });
  const named = serversWith(filter, servers);
  if (waitMs === undefined && named.length > 0) await servers.refresh(named, { retry: false });
  const wanted = filter.toLowerCase();
  return tools
    .all()
    .filter(({ id, server }) => id.toLowerCase().includes(wanted) || server.toLowerCase().includes(wanted));
}

/** Returns the servers whose name contains a text; none for an empty text. */
function serversWith(text: string, { all }: Servers): readonly ServerState[] {
  const wanted = text.toLowerCase();
  return wanted === '' ? [] : all.filter(({ name, slug }) => `${name}\n${slug}`.toLowerCase().includes(wanted));
}
