import type { Steps } from '@toolwright/pii/internal';
import { FIELD_COUNT, Field } from './tool-terms.ts';

/**
 * The occurrences of one term: one small integer per document and field (see `entry`). The entries of a document are
 * adjacent.
 */
export interface Posting {
  documents: number;
  entries: number[];
}

/** An inverted index of documents. A document is a small number, which is used again after its removal. */
export interface Postings {
  /** Adds a document with the terms of each of its fields. Returns its number. */
  add(fields: readonly (readonly string[])[]): number;
  /** Removes documents in steps. The terms must be those of `add`. */
  removal(documents: ReadonlyMap<number, readonly (readonly string[])[]>): Steps;
  get(term: string): Posting | undefined;
  /** Returns how rare the term of a posting is: 0 for a term of all documents, more for a rarer one. */
  rarity(posting: Posting | undefined): number;
  /** Returns the highest document number plus one. */
  capacity(): number;
  /** Returns the number of distinct terms in a document's name, or in its server's name. */
  distinct(document: number, field: typeof Field.name | typeof Field.server): number;
  /** Returns each field's length divided by the average length of that field, at `document * FIELD_COUNT + field`. */
  relativeLengths(): Float32Array;
}

const MAX_COUNT = 7;

/** Creates an empty index. */
export function createPostings(): Postings {
  const byTerm = new Map<string, Posting>();
  const lengths: number[] = [];
  const distinct: number[] = [];
  const totals = new Array<number>(FIELD_COUNT).fill(0);
  const free: number[] = [];
  let size = 0;
  let capacity = 0;
  let relative: Float32Array | undefined;

  function post(document: number, field: number, terms: readonly string[], known: Set<string>): number {
    const counts = occurrences(terms);
    for (const [term, count] of counts) {
      const posting = byTerm.get(term) ?? { documents: 0, entries: [] };
      if (posting.documents === 0) byTerm.set(term, posting);
      if (!known.has(term)) posting.documents++;
      known.add(term);
      posting.entries.push(entry(document, field, count));
    }
    return counts.size;
  }

  function resize(document: number, fields: readonly (readonly string[])[], sign: 1 | -1): void {
    size += sign;
    relative = undefined;
    fields.forEach((terms, field) => {
      totals[field] = (totals[field] ?? 0) + sign * terms.length;
      lengths[document * FIELD_COUNT + field] = sign === 1 ? terms.length : 0;
    });
  }

  return {
    add(fields) {
      const document = free.pop() ?? capacity++;
      const known = new Set<string>();
      fields.forEach((terms, field) => {
        const found = post(document, field, terms, known);
        if (field <= Field.server) distinct[document * 2 + field] = found;
      });
      resize(document, fields, 1);
      return document;
    },
    *removal(documents) {
      for (const term of new Set([...documents.values()].flat(2))) {
        yield;
        const posting = byTerm.get(term);
        if (!posting) continue;
        const kept = posting.entries.filter((packed) => !documents.has(entryDocument(packed)));
        posting.entries = kept;
        posting.documents = kept.reduce(countDocuments, 0);
        if (posting.documents === 0) byTerm.delete(term);
      }
      for (const [document, fields] of documents) {
        resize(document, fields, -1);
        free.push(document);
      }
    },
    get: (term) => byTerm.get(term),
    rarity(posting) {
      const having = posting?.documents ?? 0;
      return Math.log(1 + (size - having + 0.5) / (having + 0.5));
    },
    capacity: () => capacity,
    distinct: (document, field) => distinct[document * 2 + field] ?? 0,
    relativeLengths() {
      relative ??= relativeTo(lengths, totals, size);
      return relative;
    },
  };
}

function relativeTo(lengths: readonly number[], totals: readonly number[], size: number): Float32Array {
  const factors = totals.map((total) => size / (total || 1));
  const relative = new Float32Array(lengths.length);
  for (let index = 0; index < lengths.length; index++) {
    relative[index] = (lengths[index] ?? 0) * (factors[index % FIELD_COUNT] ?? 0);
  }
  return relative;
}

/** The entries of a document are adjacent. */
function countDocuments(sum: number, packed: number, index: number, entries: readonly number[]): number {
  return index > 0 && entryDocument(entries[index - 1] ?? 0) === entryDocument(packed) ? sum : sum + 1;
}

/** Packs a document, a field and a count into one small integer: `document * 64 + field * 8 + count`. */
function entry(document: number, field: number, count: number): number {
  return document * 64 + field * 8 + Math.min(count, MAX_COUNT);
}

/** Returns the document of a packed entry. Its field is `(entry >> 3) & 7`, its count `entry & 7`. */
export function entryDocument(packed: number): number {
  return packed >>> 6;
}

/** Counts the occurrences of each term. */
export function occurrences(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
