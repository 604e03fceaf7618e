import { occurrences } from './inverted-index.ts';
import { relatedTerms } from './synonyms.ts';
import { terms } from './terms.ts';

/** One term of a search. */
export interface QueryTerm {
  readonly term: string;
  /** The weight of a match. A term that occurs once in the query has 1. */
  readonly weight: number;
  /** Whether the term occurs in the query itself. */
  readonly own: boolean;
  /** Terms that count instead of the term where it is missing, with their share of its weight. */
  readonly related: readonly (readonly [term: string, share: number])[];
}

const MAX_CHARS = 4_000;
const MAX_TERMS = 100;
/** Weight of two adjacent words written as one: "file system" also matches `filesystem`. */
const JOINED = 0.6;

const WORD = /[\p{L}\p{M}]+\d*/gu;

/** Returns the distinct terms of a query, each with the terms of the same meaning or topic. */
export function queryTerms(query: string): QueryTerm[] {
  const text = query.slice(0, MAX_CHARS);
  const counts = new Map([...occurrences(terms(text))].slice(0, MAX_TERMS));
  const own = [...counts].map(
    ([term, count]): QueryTerm => ({
      term,
      weight: Math.sqrt(count),
      own: true,
      related: [...relatedTerms(term)].filter(([other]) => !counts.has(other)),
    }),
  );
  const joined = new Set<string>();
  const words = (text.toLowerCase().match(WORD) ?? []).slice(0, MAX_TERMS);
  for (const [index, word] of words.entries()) {
    const term = index > 0 ? terms(`${words[index - 1]}${word}`)[0] : undefined;
    if (term !== undefined && !counts.has(term)) joined.add(term);
  }
  return [...own, ...[...joined].map((term) => ({ term, weight: JOINED, own: false, related: [] }))];
}
