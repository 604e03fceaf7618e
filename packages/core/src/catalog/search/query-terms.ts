import { occurrences } from './inverted-index.ts';
import { synonymsOf } from './synonyms.ts';
import { terms } from './terms.ts';

/** One term that a search looks for. */
export interface QueryTerm {
  readonly term: string;
  /** What finding it is worth; a term that stands in the query once has 1. */
  readonly weight: number;
  /** Whether it stands in the query itself. */
  readonly own: boolean;
}

const MAX_CHARS = 4_000;
const MAX_TERMS = 100;
/** Weight of two neighbouring words written as one: "file system" is `filesystem` as well. */
const JOINED = 0.6;
/** Weight of a word that means about the same: enough to decide between tools that are equal otherwise. */
const SYNONYM = 0.2;

const WORD = /[\p{L}\p{M}]+\d*/gu;

/** The terms of a query, each once, and those that say the same in other words. */
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
