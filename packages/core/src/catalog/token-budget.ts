import type { SearchHit } from './search-answer.ts';
import { roughTokens } from './text.ts';

/** Tokens (o200k_base) that a hit takes on average: 250 for five. */
export const HIT_TOKENS = 50;
/** Counting a long text can be slow; beyond so many bytes a guess will do. */
const MAX_COUNTED_BYTES = 4_000;

/** A hit as it is read. */
export function hitText({ signature, description }: SearchHit): string {
  return description === '' ? signature : `${signature}\n  ${description}`;
}

/**
 * Chooses for each hit how much of it is shown, so that all together stay within `HIT_TOKENS` each where that is possible:
 * what comes last is shortened first, since what comes first is mostly what was looked for.
 */
export async function fitHits<Match>(
  matches: readonly Match[],
  show: (match: Match, brief: boolean) => SearchHit,
): Promise<SearchHit[]> {
  const hits = matches.map((match) => show(match, false));
  if (hits.length === 0) return hits;
  const { countTokens } = await import('./tokenizer.ts');
  const cost = (hit: SearchHit): number => {
    const text = hitText(hit);
    return Buffer.byteLength(text) > MAX_COUNTED_BYTES ? roughTokens(text) : countTokens(`${text}\n`);
  };
  let over = hits.reduce((sum, hit) => sum + cost(hit), -HIT_TOKENS * hits.length);
  for (let index = hits.length - 1; index >= 0 && over > 0; index--) {
    const [match, whole] = [matches[index], hits[index]];
    if (match === undefined || whole === undefined) continue;
    const brief = show(match, true);
    over += cost(brief) - cost(whole);
    hits[index] = brief;
  }
  return hits;
}
