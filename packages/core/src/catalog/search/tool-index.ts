import type { Tool } from '../tool.ts';
import { createPostings, entryDocument, type Posting, type Postings } from './inverted-index.ts';
import { type QueryTerm, queryTerms } from './query-terms.ts';
import { FIELD_COUNT, Field, serverTerms, toolTerms } from './tool-terms.ts';

/** One tool that matches a query. Scores are comparable within one answer only. */
export interface ToolMatch {
  readonly tool: Tool;
  readonly score: number;
}

/** The indexed data of one server. */
export interface ServerEntry {
  readonly description?: string | undefined;
  readonly tools: readonly Tool[];
}

/** A search index over tools, which is updated per server. */
export interface ToolIndex {
  /** Sets all tools of a server. */
  set(server: string, entry: ServerEntry): void;
  remove(server: string): void;
  /** Returns the best matches, best first; 5 by default. Returns nothing when the index contains no word of the query. */
  search(query: string, options?: { readonly server?: string | undefined; readonly limit?: number }): ToolMatch[];
  /** Runs a synchronous search that also finds `tools`. Other searches do not find them. */
  withTools<T>(tools: readonly Tool[], search: () => T): T;
}

/** BM25F parameters, chosen in the middle of a plateau of the tuning sets. `bench/search.mjs` measures them. */
const TUNING = {
  /** By `Field`: name, server, summary, parameters, details, server description. */
  weights: [3.5, 1, 1, 0.6, 0.4, 0.1],
  lengthNorms: [0.5, 0.3, 0.4, 0.6, 0.5, 0.6],
  saturation: 1.5,
  /** Bonuses for a complete tool name in the query, for a complete server name in it, and for a tool with the whole query. */
  nameCoverage: 0.3,
  serverCoverage: 0.6,
  queryCoverage: 0.3,
};

/** No server can have this name. */
const EXTRA_TOOLS = '\0';
const DEFAULT_LIMIT = 5;

/** Intermediate results of one query, by document. */
interface Scores {
  readonly score: Float64Array;
  readonly nameHits: Uint16Array;
  readonly serverHits: Uint16Array;
  readonly queryHits: Float64Array;
  readonly touched: number[];
}

/** Creates an empty index. */
export function createToolIndex(): ToolIndex {
  const postings = createPostings();
  const servers = new Map<string, { readonly entry: ServerEntry; readonly documents: readonly number[] }>();
  const tools: Tool[] = [];

  function fieldsOf(server: string, entry: ServerEntry): (readonly (readonly string[])[])[] {
    const own = serverTerms(server, entry.description);
    return entry.tools.map((tool) => toolTerms(tool, own.name, own.description));
  }

  function remove(server: string): void {
    const known = servers.get(server);
    if (!known) return;
    const fields = fieldsOf(server, known.entry);
    postings.remove(new Map(known.documents.map((document, index) => [document, fields[index] ?? []])));
    servers.delete(server);
  }

  function set(server: string, entry: ServerEntry): void {
    remove(server);
    const documents = fieldsOf(server, entry).map((fields, index) => {
      const document = postings.add(fields);
      const tool = entry.tools[index];
      if (tool) tools[document] = tool;
      return document;
    });
    servers.set(server, { entry, documents });
  }

  return {
    set,
    remove,
    withTools(extra, search) {
      if (extra.length === 0) return search();
      set(EXTRA_TOOLS, { tools: extra });
      try {
        return search();
      } finally {
        remove(EXTRA_TOOLS);
      }
    },
    search(query, { server, limit = DEFAULT_LIMIT } = {}) {
      const { scores, possible } = gather(query, postings);
      const best: ToolMatch[] = [];
      for (const document of scores.touched) {
        const tool = tools[document];
        if (!tool || (server !== undefined && tool.server !== server)) continue;
        insert(best, { tool, score: finalScore(document, scores, possible, postings) }, limit);
      }
      return best;
    },
  };
}

function gather(query: string, postings: Postings): { scores: Scores; possible: number } {
  const scores: Scores = {
    score: new Float64Array(postings.capacity()),
    nameHits: new Uint16Array(postings.capacity()),
    serverHits: new Uint16Array(postings.capacity()),
    queryHits: new Float64Array(postings.capacity()),
    touched: [],
  };
  const lengths = postings.relativeLengths();
  let possible = 0;
  for (const { term, weight: worth, own } of queryTerms(query)) {
    const posting = postings.get(term);
    if (!posting) continue;
    const rarity = Math.log(1 + (postings.size() - posting.documents + 0.5) / (posting.documents + 0.5));
    const weight = rarity * worth;
    if (own) possible += weight;
    addTerm(posting, { weight, own }, lengths, scores);
  }
  return { scores, possible };
}

/** Adds one term to the score of each document that contains it. Only the query's own terms count for the bonuses. */
function addTerm(
  { entries }: Posting,
  { weight, own }: Pick<QueryTerm, 'weight' | 'own'>,
  lengths: Float32Array,
  scores: Scores,
): void {
  for (let index = 0; index < entries.length; ) {
    const document = entryDocument(entries[index] ?? 0);
    let frequency = 0;
    for (; index < entries.length; index++) {
      const packed = entries[index] ?? 0;
      if (entryDocument(packed) !== document) break;
      const field = (packed >> 3) & 7;
      const norm = TUNING.lengthNorms[field] ?? 0;
      const length = lengths[document * FIELD_COUNT + field] ?? 1;
      frequency += ((TUNING.weights[field] ?? 0) * (packed & 7)) / (1 - norm + norm * length);
      if (!own) continue;
      if (field === Field.name) scores.nameHits[document] = (scores.nameHits[document] ?? 0) + 1;
      else if (field === Field.server) scores.serverHits[document] = (scores.serverHits[document] ?? 0) + 1;
    }
    if (scores.score[document] === 0) scores.touched.push(document);
    scores.score[document] = (scores.score[document] ?? 0) + (weight * frequency) / (frequency + TUNING.saturation);
    if (own) scores.queryHits[document] = (scores.queryHits[document] ?? 0) + weight;
  }
}

function finalScore(document: number, scores: Scores, possible: number, postings: Postings): number {
  const share = (hits: number | undefined, all: number) => (all > 0 ? (hits ?? 0) / all : 0);
  return (
    (scores.score[document] ?? 0) *
    (1 + TUNING.nameCoverage * share(scores.nameHits[document], postings.distinct(document, Field.name))) *
    (1 + TUNING.serverCoverage * share(scores.serverHits[document], postings.distinct(document, Field.server))) *
    (1 + TUNING.queryCoverage * share(scores.queryHits[document], possible))
  );
}

/** Keeps the `limit` best matches. Equal scores are sorted by id. */
function insert(best: ToolMatch[], match: ToolMatch, limit: number): void {
  const last = best.at(-1);
  if (best.length >= limit && last && !isBetter(match, last)) return;
  let place = best.length;
  for (let above = best[place - 1]; above && isBetter(match, above); above = best[place - 1]) place--;
  best.splice(place, 0, match);
  if (best.length > limit) best.pop();
}

function isBetter(a: ToolMatch, b: ToolMatch): boolean {
  return a.score > b.score || (a.score === b.score && a.tool.id < b.tool.id);
}
