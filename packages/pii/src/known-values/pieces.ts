import { readPlaceholders, writePlaceholder } from '../placeholder.ts';
import { CONTEXT_CHARACTERS, type Finder, type Match } from './matches.ts';

/** Backslashes before a cut that are kept: an escape then reads the same after the cut. */
const MAX_BACKSLASHES = 64;
const NO_TYPES: ReadonlySet<string> = new Set();

/**
 * Replaces known values in a text that arrives in pieces. It holds back twice the reach of a match, so that it does not
 * search short pieces again and again.
 */
export function redactInPieces(finder: () => Finder): { push(piece: string): string; end(): string } {
  /** Returned text that is still context for a match, and from `from` on text that was not returned yet. */
  let buffer = '';
  let from = 0;
  /** Where the text continues after the last value; may be beyond the limit of this step. */
  let resume = 0;

  function redactUpTo(limit: number): string {
    const parts: string[] = [];
    let at = Math.max(from, resume);
    for (const { start, end, name } of visibleMatches(finder().find(buffer), buffer)) {
      if (start < from || start >= limit) continue;
      if (start >= resume) parts.push(buffer.slice(at, start), writePlaceholder(name));
      resume = Math.max(resume, end);
      at = Math.max(at, resume);
    }
    if (at < limit) parts.push(buffer.slice(at, limit));
    let keep = Math.max(0, limit - CONTEXT_CHARACTERS);
    for (let back = 0; back < MAX_BACKSLASHES && keep > 0 && buffer[keep - 1] === '\\'; back++) keep--;
    buffer = buffer.slice(keep);
    from = limit - keep;
    resume -= keep;
    return parts.join('');
  }

  return {
    push(piece) {
      buffer += piece;
      const reach = finder().reach();
      const ready = buffer.length - from;
      return ready < 2 * reach || ready === 0 ? '' : redactUpTo(buffer.length - reach);
    },
    end: () => redactUpTo(buffer.length),
  };
}

/** Returns the matches that are not inside of a placeholder. */
export function visibleMatches(matches: readonly Match[], text: string): readonly Match[] {
  if (matches.length === 0) return matches;
  const placeholders = readPlaceholders(text, NO_TYPES);
  let at = 0;
  return matches.filter(({ start, end }) => {
    while ((placeholders[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
    const next = placeholders[at];
    return next === undefined || start < next.start || next.end < end;
  });
}
