import { roughTokens } from '@toolwright/connectors/internal';
import { loadTokenizer } from '../../../telemetry/tokens.ts';
import { hitText, type SearchHit } from './hit.ts';

/** Tokens (o200k_base) per hit, on average: 250 for five hits. */
export const HIT_TOKENS = 50;
/** Counting the tokens of a long text is slow. The tokens of longer hits are estimated. */
const MAX_COUNTED_BYTES = 4_000;

/**
 * Chooses how much of each hit is shown, so that all hits together stay within `HIT_TOKENS` each where that is possible.
 * The last hits are shortened first, because the reader most often wants one of the first.
 */
export async function fitHits<Match>(
  matches: readonly Match[],
  show: (match: Match, brief: boolean) => SearchHit,
): Promise<SearchHit[]> {
  const hits = matches.map((match) => show(match, false));
  if (hits.length === 0) return hits;
  const countTokens = await loadTokenizer();
  const cost = (hit: SearchHit): number => {
    const text = hitText(hit);
    return Buffer.byteLength(text) > MAX_COUNTED_BYTES ? roughTokens(text) : countTokens(`${text}\n`);
  };
  let excess = hits.reduce((sum, hit) => sum + cost(hit), -HIT_TOKENS * hits.length);
  for (let index = hits.length - 1; index >= 0 && excess > 0; index--) {
    const [match, whole] = [matches[index], hits[index]];
    if (match === undefined || whole === undefined) continue;
    const brief = show(match, true);
    excess += cost(brief) - cost(whole);
    hits[index] = brief;
  }
  return hits;
}
