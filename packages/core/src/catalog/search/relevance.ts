import { entryDocument, type Posting, type Postings } from './inverted-index.ts';
import { FIELD_COUNT, Field } from './tool-terms.ts';

/** BM25F parameters, chosen in the middle of a plateau of the tuning sets. `bench/search.mjs` measures them. */
const TUNING = {
  /** By `Field`: name, server, summary, parameters, details, server description. */
  weights: [3.5, 1, 1, 0.6, 0.4, 0.1],
  lengthNorms: [0.5, 0.3, 0.4, 0.6, 0.5, 0.6],
  saturation: 1.5,
};

/** How much one term counts in each document that has it. The arrays have the same order. */
export interface Relevance {
  readonly documents: Uint32Array;
  /** The saturated frequency, from 0 to 1. */
  readonly shares: Float64Array;
  /** 1 where the name of the tool, or of its server, has the term. */
  readonly inName: Uint8Array;
  readonly inServer: Uint8Array;
}

/** Kept as long as the lengths for which they hold, because queries use the same words. */
const known = new WeakMap<Posting, { readonly lengths: Float32Array; readonly relevance: Relevance }>();

/** Returns how much a term counts in each of its documents. */
export function relevanceOf(posting: Posting, postings: Postings): Relevance {
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
