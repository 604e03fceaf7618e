import { isCommonWord, readPlaceholders } from '@toolwright/pii/internal';
import { hasRelatedTerms } from '../search/synonyms.ts';
import { terms } from '../search/terms.ts';

export interface WordFilter {
  /** Finds personal data in a text. */
  readonly detect: (text: string) => Promise<readonly { readonly start: number; readonly end: number }[]>;
  /** Checks whether a tool of the catalog contains a term. */
  readonly isInCatalog: (term: string) => boolean;
}

const MAX_CHARS = 4_000;
const MAX_TERMS = 50;
/** Words of letters only. A part of an identifier with digits, an address or a path with a user name is none. */
const WORD = /(?<![\p{L}\p{M}\p{N}@/\\])[\p{L}\p{M}]{2,40}(?![\p{L}\p{M}\p{N}@\\])/gu;

/**
 * Returns the terms of a query that may be stored. They are outside of personal data, and a tool of the catalog contains them or
 * they are common in English. Names, numbers, addresses and secrets are neither.
 */
export async function learnableTerms(query: string, { detect, isInCatalog }: WordFilter): Promise<readonly string[]> {
  let text = query.slice(0, MAX_CHARS);
  for (const { start, end } of readPlaceholders(text).reverse()) text = `${text.slice(0, start)} ${text.slice(end)}`;
  const spans = await detect(text);
  const inSpan = (start: number, end: number) => spans.some((span) => start < span.end && span.start < end);
  const kept = new Set<string>();
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (inSpan(index, index + word.length)) continue;
    for (const term of terms(word)) {
      if (isInCatalog(term) || isCommonWord(word) || hasRelatedTerms(term)) kept.add(term);
    }
  }
  return [...kept].slice(0, MAX_TERMS);
}
