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
  /** Removes documents. The terms must be those of `add`. */
  remove(documents: ReadonlyMap<number, readonly (readonly string[])[]>): void;
  get(term: string): Posting | undefined;
  /** Returns the number of documents. */
  size(): number;
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
    remove(documents) {
      for (const term of new Set([...documents.values()].flat(2))) {
        const posting = byTerm.get(term);
        if (!posting) continue;
        const kept: number[] = [];
        let last = -1;
        for (const packed of posting.entries) {
          const document = entryDocument(packed);
          if (!documents.has(document)) {
            kept.push(packed);
            continue;
          }
          if (document !== last) posting.documents--;
          last = document;
        }
        posting.entries = kept;
        if (posting.documents === 0) byTerm.delete(term);
      }
      for (const [document, fields] of documents) {
        resize(document, fields, -1);
        free.push(document);
      }
    },
    get: (term) => byTerm.get(term),
    size: () => size,
    capacity: () => capacity,
    distinct: (document, field) => distinct[document * 2 + field] ?? 0,
    relativeLengths() {
      relative ??= Float32Array.from(lengths, (length, index) => (length * size) / (totals[index % FIELD_COUNT] || 1));
      return relative;
    },
  };
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
