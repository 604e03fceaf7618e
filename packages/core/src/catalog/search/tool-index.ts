import type { Tool } from '@toolwright/connectors';
import { atOnce, inSlices, type Steps } from '@toolwright/pii/internal';
import type { Evidence, Experience } from './experience.ts';
import { createPostings } from './inverted-index.ts';
import { queryTerms } from './query-terms.ts';
import { createScorer, type Scores } from './scores.ts';
import { serverTerms, toolTerms } from './tool-terms.ts';

/** One tool that matches a query. Scores are comparable within one answer only. */
export interface ToolMatch {
  readonly tool: Tool;
  readonly score: number;
  /** The share of the query's words that the tool has, from 0 to 1; 1 for a tool that earlier calls taught. */
  readonly coverage: number;
}

/** The indexed data of one server. */
export interface ServerEntry {
  readonly description?: string | undefined;
  readonly tools: readonly Tool[];
}

export interface ToolSearch {
  /** Finds the tools of these servers only. */
  readonly servers?: ReadonlySet<string> | undefined;
  /** Finds only the tools that it accepts. Default: all. */
  readonly accepts?: ((tool: Tool) => boolean) | undefined;
  /** Default: 5. */
  readonly limit?: number;
  /** Earlier calls, which change the order and may add tools. */
  readonly experience?: Experience | undefined;
}

/** A search index over tools, which is updated per server. */
export interface ToolIndex {
  /** Sets all tools of a server. */
  set(server: string, entry: ServerEntry): void;
  /** Sets all tools of a server in slices of a few milliseconds. Until the end, searches find the tools before, if there are any. */
  load(server: string, entry: ServerEntry): Promise<void>;
  remove(server: string): void;
  /** Returns the best matches, best first. Returns nothing when neither the index nor the experience has a word of the query. */
  search(query: string, options?: ToolSearch): ToolMatch[];
  /** Checks whether any tool contains the term. */
  hasTerm(term: string): boolean;
  /** Runs a synchronous search that also finds `tools`. Other searches do not find them. */
  withTools<T>(tools: readonly Tool[], search: () => T): T;
}

/** A server in the index: its tools and their documents, in the same order. */
interface Indexed {
  readonly entry: ServerEntry;
  readonly documents: readonly number[];
}

/** No server can have this name. */
const EXTRA_TOOLS = '\0';
const DEFAULT_LIMIT = 5;
const NO_DOCUMENT = -1;
/** Tools that are indexed between two looks at the time. */
const PART_TOOLS = 8;

/** Creates an empty index. */
export function createToolIndex(): ToolIndex {
  const postings = createPostings();
  const score = createScorer(postings);
  const servers = new Map<string, Indexed>();
  const byDocument: (Tool | undefined)[] = [];
  const documentOf = new Map<string, number>();

  function* removal(server: string, known: Indexed | undefined): Steps {
    if (!known) return;
    const { entry, documents } = known;
    if (servers.get(server) === known) servers.delete(server);
    for (const document of documents) {
      const id = byDocument[document]?.id ?? '';
      if (documentOf.get(id) === document) documentOf.delete(id);
      byDocument[document] = undefined;
    }
    const own = serverTerms(server, entry.description);
    const fields = new Map<number, readonly (readonly string[])[]>();
    for (const [index, document] of documents.entries()) {
      if (index % PART_TOOLS === 0) yield;
      const tool = entry.tools[index];
      if (tool) fields.set(document, toolTerms(tool, own.name, own.description));
    }
    yield* postings.removal(fields);
  }

  function show(document: number, tool: Tool): void {
    byDocument[document] = tool;
    documentOf.set(tool.id, document);
  }

  function* update(server: string, entry: ServerEntry): Steps {
    const before = servers.get(server);
    const own = serverTerms(server, entry.description);
    const documents: number[] = [];
    for (const [index, tool] of entry.tools.entries()) {
      if (index % PART_TOOLS === 0) yield;
      const document = postings.add(toolTerms(tool, own.name, own.description));
      documents.push(document);
      if (!before) show(document, tool);
    }
    servers.set(server, { entry, documents });
    if (!before) return;
    const rest = removal(server, before);
    // The first step hides the tools before. The tools of this update are shown in the same turn.
    const first = rest.next();
    for (const [index, tool] of entry.tools.entries()) show(documents[index] ?? 0, tool);
    if (!first.done) yield* rest;
  }

  const set = (server: string, entry: ServerEntry): void => atOnce(update(server, entry));
  const remove = (server: string): void => atOnce(removal(server, servers.get(server)));

  return {
    set,
    remove,
    load: async (server, entry) => inSlices(update(server, entry)),
    hasTerm: (term) => postings.get(term) !== undefined,
    withTools(extra, search) {
      if (extra.length === 0) return search();
      set(EXTRA_TOOLS, { tools: extra });
      return finallyDo(search, () => remove(EXTRA_TOOLS));
    },
    search(query, options = {}) {
      if (isEverything(query))
        return best(
          [...documentOf.values()],
          options,
          matchIn(byDocument, () => ({ score: 1, coverage: 1 })),
        );
      const scores = score(queryTerms(query));
      const evidence = options.experience?.(scores.terms);
      const taught = [...(evidence?.added.keys() ?? [])].map((id) => documentOf.get(id) ?? NO_DOCUMENT);
      const others = taught.filter((document) => scores.scoreOf(document) === 0);
      return best([...scores.found, ...others], options, matchIn(byDocument, measureBy(scores, evidence)));
    },
  };
}

function finallyDo<Result>(work: () => Result, end: () => void): Result {
  try {
    return work();
  } finally {
    end();
  }
}

/** Returns a function that measures the tool of a document; a document of a former tool has none. */
function matchIn(
  byDocument: readonly (Tool | undefined)[],
  measure: (tool: Tool, document: number) => Omit<ToolMatch, 'tool'>,
) {
  return (document: number): ToolMatch | undefined => {
    const tool = byDocument[document];
    return tool && { tool, ...measure(tool, document) };
  };
}

/** Returns a function that measures a tool by the words of the query, and by earlier calls. */
function measureBy({ scoreOf, coverageOf }: Scores, evidence: Evidence | undefined) {
  return (tool: Tool, document: number) => ({
    score: withEvidence(tool, scoreOf(document), evidence),
    coverage: (evidence?.added.get(tool.id) ?? 0) > 0 ? 1 : coverageOf(document),
  });
}

/** Returns whether a query means all tools. */
export function isEverything(query: string): boolean {
  return /^\s*\*+\s*$/.test(query);
}

/** Returns the best matches among documents. */
function best(
  documents: readonly number[],
  { servers, accepts = () => true, limit = DEFAULT_LIMIT }: ToolSearch,
  matchOf: (document: number) => ToolMatch | undefined,
): ToolMatch[] {
  const matches: ToolMatch[] = [];
  for (const document of documents) {
    const match = matchOf(document);
    if (match && (servers === undefined || servers.has(match.tool.server)) && accepts(match.tool)) {
      insert(matches, match, limit);
    }
  }
  return matches;
}

function withEvidence(tool: Tool, score: number, evidence: Evidence | undefined): number {
  return evidence ? (score + (evidence.added.get(tool.id) ?? 0)) * evidence.factor(tool) : score;
}

/** Keeps the `limit` best matches. Equal scores are sorted by id. */
function insert(matches: ToolMatch[], match: ToolMatch, limit: number): void {
  const last = matches.at(-1);
  if (matches.length >= limit && last && !isBetter(match, last)) return;
  let place = matches.length;
  for (let above = matches[place - 1]; above && isBetter(match, above); above = matches[place - 1]) place--;
  matches.splice(place, 0, match);
  if (matches.length > limit) matches.pop();
}

function isBetter(a: ToolMatch, b: ToolMatch): boolean {
  return a.score > b.score || (a.score === b.score && a.tool.id < b.tool.id);
}
