import type { WeightedTerm } from './experience.ts';
import { entryDocument, type Posting, type Postings } from './inverted-index.ts';
import type { QueryTerm } from './query-terms.ts';
import { FIELD_COUNT, Field } from './tool-terms.ts';

/** Bonuses for a complete tool name in the query, for a complete server name in it, and for a tool with the whole query. */
const BONUSES = { nameCoverage: 0.3, serverCoverage: 0.6, queryCoverage: 0.3 };

/** Words of usual weight that cover a query: a long one names much that is no tool. */
const COVERING_WORDS = 4;
/** The share of a word that counts as covered by a related one. */
const RELATED = 0.5;

/** The scores of one query, by document. They are valid until the next query. */
export interface Scores {
  /** The documents with a term of the query. */
  readonly found: readonly number[];
  scoreOf(document: number): number;
  /** Returns the share of the query's words that a document has, or of four in a longer query. A rare word counts more, a related word less. */
  coverageOf(document: number): number;
  /** The query's own terms, for the evidence of earlier calls. */
  readonly terms: readonly WeightedTerm[];
}

/** Intermediate results of one query, by document. */
interface Sums {
  readonly score: Float64Array;
  /** The best match of the current term or its related terms. */
  readonly match: Float64Array;
  readonly nameHits: Uint16Array;
  readonly serverHits: Uint16Array;
  readonly queryHits: Float64Array;
  /** Like `queryHits`, with related words. */
  readonly covered: Float64Array;
  /** 1 where the document has the current term itself. */
  readonly ownMatch: Uint8Array;
  found: number[];
}

/** BM25F parameters, chosen in the middle of a plateau of the tuning sets. `bench/search.mjs` measures them. */
const TUNING = {
  /** By `Field`: name, server, summary, parameters, details, server description. */
  weights: [3.5, 1, 1, 0.6, 0.4, 0.1],
  lengthNorms: [0.5, 0.3, 0.4, 0.6, 0.5, 0.6],
  saturation: 1.5,
};

/** How much one term counts in each document that has it. The arrays have the same order. */
interface Relevance {
  readonly documents: Uint32Array;
  /** The saturated frequency, from 0 to 1. */
  readonly shares: Float64Array;
  /** 1 where the name of the tool, or of its server, has the term. */
  readonly inName: Uint8Array;
  readonly inServer: Uint8Array;
}

/** Kept as long as the lengths for which they hold, because queries use the same words. */
const known = new WeakMap<Posting, { readonly lengths: Float32Array; readonly relevance: Relevance }>();

/** Creates a function that scores documents. It uses the same arrays for each query. */
export function createScorer(postings: Postings): (query: readonly QueryTerm[]) => Scores {
  let sums = emptySums(0);
  return (query) => {
    if (sums.score.length < postings.capacity()) sums = emptySums(Math.ceil(postings.capacity() * 1.25));
    else reset(sums);
    for (const term of query) addTerm(term, postings, sums);
    const terms = query.filter(({ own }) => own).map((term) => weighted(term, postings));
    const possible = terms.reduce(
      (sum, { weight, rarity, isInCatalog }) => sum + (isInCatalog ? weight * rarity : 0),
      0,
    );
    const whole = terms.reduce((sum, { weight, rarity }) => sum + weight * rarity, 0);
    const needed = (whole / Math.max(1, terms.length)) * Math.min(terms.length, COVERING_WORDS);
    const { found } = sums;
    return {
      ...{ found, terms },
      scoreOf: (document) => finalScore(document, sums, possible, postings),
      coverageOf: (document) => (needed > 0 ? Math.min(1, (sums.covered[document] ?? 0) / needed) : 0),
    };
  };
}

function emptySums(capacity: number): Sums {
  return {
    score: new Float64Array(capacity),
    match: new Float64Array(capacity),
    nameHits: new Uint16Array(capacity),
    serverHits: new Uint16Array(capacity),
    queryHits: new Float64Array(capacity),
    covered: new Float64Array(capacity),
    ownMatch: new Uint8Array(capacity),
    found: [],
  };
}

function reset(sums: Sums): void {
  for (const document of sums.found) {
    sums.score[document] = 0;
    sums.nameHits[document] = 0;
    sums.serverHits[document] = 0;
    sums.queryHits[document] = 0;
    sums.covered[document] = 0;
  }
  sums.found = [];
}

function weighted({ term, weight }: QueryTerm, postings: Postings): WeightedTerm {
  const posting = postings.get(term);
  return { term, weight, rarity: postings.rarity(posting), isInCatalog: posting !== undefined };
}

/** Adds the best match of a term and its related terms to the score of each document. */
function addTerm({ term, weight, own, related }: QueryTerm, postings: Postings, sums: Sums): void {
  const matched: number[] = [];
  const posting = postings.get(term);
  const full = weight * postings.rarity(posting);
  if (posting) matchTerm(relevanceOf(posting, postings), { weight: full, own }, sums, matched);
  for (const [other, share] of related) {
    const instead = postings.get(other);
    if (!instead) continue;
    const rarity = weight * postings.rarity(instead);
    // A rare word of the same topic must not count more than the word in the query.
    const most = posting ? Math.min(rarity, full) : rarity;
    matchTerm(relevanceOf(instead, postings), { weight: share * most, own: false }, sums, matched);
  }
  for (const document of matched) {
    if (own)
      sums.covered[document] = (sums.covered[document] ?? 0) + full * (sums.ownMatch[document] === 1 ? 1 : RELATED);
    sums.ownMatch[document] = 0;
    if (sums.score[document] === 0) sums.found.push(document);
    sums.score[document] = (sums.score[document] ?? 0) + (sums.match[document] ?? 0);
    sums.match[document] = 0;
  }
}

/** Records the matches of one term where they are the best. Only the query's own terms count for the bonuses. */
function matchTerm(
  { documents, shares, inName, inServer }: Relevance,
  { weight, own }: { readonly weight: number; readonly own: boolean },
  { match, nameHits, serverHits, queryHits, ownMatch }: Sums,
  matched: number[],
): void {
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] ?? 0;
    if (own) {
      nameHits[document] = (nameHits[document] ?? 0) + (inName[index] ?? 0);
      serverHits[document] = (serverHits[document] ?? 0) + (inServer[index] ?? 0);
      queryHits[document] = (queryHits[document] ?? 0) + weight;
      ownMatch[document] = 1;
    }
    const before = match[document] ?? 0;
    if (before === 0) matched.push(document);
    match[document] = Math.max(before, weight * (shares[index] ?? 0));
  }
}

function finalScore(document: number, sums: Sums, possible: number, postings: Postings): number {
  const share = (hits: number | undefined, all: number) => (all > 0 ? (hits ?? 0) / all : 0);
  return (
    (sums.score[document] ?? 0) *
    (1 + BONUSES.nameCoverage * share(sums.nameHits[document], postings.distinct(document, Field.name))) *
    (1 + BONUSES.serverCoverage * share(sums.serverHits[document], postings.distinct(document, Field.server))) *
    (1 + BONUSES.queryCoverage * share(sums.queryHits[document], possible))
  );
}

/** Returns how much a term counts in each of its documents. */
function relevanceOf(posting: Posting, postings: Postings): Relevance {
  const lengths = postings.relativeLengths();
  const before = known.get(posting);
  if (before?.lengths === lengths) return before.relevance;
  const relevance = measure(posting, lengths);
  known.set(posting, { lengths, relevance });
  return relevance;
}

function measure({ documents: count, entries }: Posting, lengths: Float32Array): Relevance {
  const relevance = {
    documents: new Uint32Array(count),
    shares: new Float64Array(count),
    inName: new Uint8Array(count),
    inServer: new Uint8Array(count),
  };
  for (let index = 0, place = 0; index < entries.length; place++) {
    const document = entryDocument(entries[index] ?? 0);
    let frequency = 0;
    for (; index < entries.length; index++) {
      const packed = entries[index] ?? 0;
      if (entryDocument(packed) !== document) break;
      const field = (packed >> 3) & 7;
      const norm = TUNING.lengthNorms[field] ?? 0;
      const length = lengths[document * FIELD_COUNT + field] ?? 1;
      frequency += ((TUNING.weights[field] ?? 0) * (packed & 7)) / (1 - norm + norm * length);
      if (field === Field.name) relevance.inName[place] = 1;
      else if (field === Field.server) relevance.inServer[place] = 1;
    }
    relevance.documents[place] = document;
    relevance.shares[place] = frequency / (frequency + TUNING.saturation);
  }
  return relevance;
}
