import { occurrences } from './inverted-index.ts';
import { synonymsOf } from './synonyms.ts';
import { terms } from './terms.ts';

/** One term of a search. */
export interface QueryTerm {
  readonly term: string;
  /** The weight of a match. A term that occurs once in the query has 1. */
  readonly weight: number;
  /** Whether the term occurs in the query itself. */
  readonly own: boolean;
}

const MAX_CHARS = 4_000;
const MAX_TERMS = 100;
/** Weight of two adjacent words written as one: "file system" also matches `filesystem`. */
const JOINED = 0.6;
/** Weight of a synonym: enough to decide between tools with otherwise equal scores. */
const SYNONYM = 0.2;

const WORD = /[\p{L}\p{M}]+\d*/gu;

/** Returns the distinct terms of a query, and their synonyms. */
export function queryTerms(query: string): QueryTerm[] {
  const text = query.slice(0, MAX_CHARS);
  const found = new Map<string, QueryTerm>();
  for (const [term, count] of [...occurrences(terms(text))].slice(0, MAX_TERMS)) {
    found.set(term, { term, weight: Math.sqrt(count), own: true });
  }
  const related = (term: string | undefined, weight: number): void => {
    if (term !== undefined && !found.has(term)) found.set(term, { term, weight, own: false });
  };
  const own = [...found.keys()];
  const words = (text.toLowerCase().match(WORD) ?? []).slice(0, MAX_TERMS);
  for (const [index, word] of words.entries()) if (index > 0) related(terms(`${words[index - 1]}${word}`)[0], JOINED);
  for (const term of own) for (const synonym of synonymsOf(term)) related(synonym, SYNONYM);
  return [...found.values()];
}
