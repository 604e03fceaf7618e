import type { WeightedTerm } from './experience.ts';
import { entryDocument, type Posting, type Postings } from './inverted-index.ts';
import type { QueryTerm } from './query-terms.ts';
import { FIELD_COUNT, Field } from './tool-terms.ts';

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

/** The scores of one query, by document. They are valid until the next call of `score`. */
export interface Scores {
  /** The documents with a term of the query. */
  readonly found: readonly number[];
  scoreOf(document: number): number;
  /** The query's own terms, for the evidence of earlier calls. */
  readonly terms: readonly WeightedTerm[];
}

/** Creates a function that scores documents. It uses the same arrays for each query. */
export function createScorer(postings: Postings): (terms: readonly QueryTerm[]) => Scores {
  let capacity = 0;
  let score = new Float64Array(0);
  /** The best match of the current term. */
  let match = new Float64Array(0);
  let nameHits = new Uint16Array(0);
  let serverHits = new Uint16Array(0);
  let queryHits = new Float64Array(0);
  let found: number[] = [];

  function reset(): void {
    if (capacity < postings.capacity()) {
      capacity = Math.ceil(postings.capacity() * 1.25);
      score = new Float64Array(capacity);
      match = new Float64Array(capacity);
      nameHits = new Uint16Array(capacity);
      serverHits = new Uint16Array(capacity);
      queryHits = new Float64Array(capacity);
    } else {
      for (const document of found) {
        score[document] = 0;
        nameHits[document] = 0;
        serverHits[document] = 0;
        queryHits[document] = 0;
      }
    }
    found = [];
  }

  /** Records the matches of one term, if they are better than those of its related terms. */
  function matchTerm({ entries }: Posting, weight: number, own: boolean, matched: number[]): void {
    const lengths = postings.relativeLengths();
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
        if (field === Field.name) nameHits[document] = (nameHits[document] ?? 0) + 1;
        else if (field === Field.server) serverHits[document] = (serverHits[document] ?? 0) + 1;
      }
      if (own) queryHits[document] = (queryHits[document] ?? 0) + weight;
      const before = match[document] ?? 0;
      if (before === 0) matched.push(document);
      match[document] = Math.max(before, (weight * frequency) / (frequency + TUNING.saturation));
    }
  }

  function addTerm({ term, weight, own, related }: QueryTerm): void {
    const matched: number[] = [];
    const posting = postings.get(term);
    const full = weight * postings.rarity(posting);
    if (posting) matchTerm(posting, full, own, matched);
    for (const [other, share] of related) {
      const instead = postings.get(other);
      if (!instead) continue;
      // A rare word of the same topic must not count more than the word in the query.
      const most = posting ? full : weight * postings.rarity(instead);
      matchTerm(instead, share * Math.min(weight * postings.rarity(instead), most), false, matched);
    }
    for (const document of matched) {
      if (score[document] === 0) found.push(document);
      score[document] = (score[document] ?? 0) + (match[document] ?? 0);
      match[document] = 0;
    }
  }

  function weighted({ term, weight }: QueryTerm): WeightedTerm {
    const posting = postings.get(term);
    return { term, weight, rarity: postings.rarity(posting), isInCatalog: posting !== undefined };
  }

  return (query) => {
    reset();
    for (const term of query) addTerm(term);
    const terms = query.filter(({ own }) => own).map(weighted);
    const possible = terms.reduce(
      (sum, { weight, rarity, isInCatalog }) => sum + (isInCatalog ? weight * rarity : 0),
      0,
    );
    const share = (hits: number | undefined, all: number) => (all > 0 ? (hits ?? 0) / all : 0);
    return {
      found,
      terms,
      scoreOf: (document) =>
        (score[document] ?? 0) *
        (1 + TUNING.nameCoverage * share(nameHits[document], postings.distinct(document, Field.name))) *
        (1 + TUNING.serverCoverage * share(serverHits[document], postings.distinct(document, Field.server))) *
        (1 + TUNING.queryCoverage * share(queryHits[document], possible)),
    };
  };
}
