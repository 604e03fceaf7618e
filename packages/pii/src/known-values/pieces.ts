import { type LookAlike, placeholderSteps, readPlaceholders, writePlaceholder } from '../placeholder.ts';
import type { Steps } from '../slices.ts';
import { CONTEXT_CHARACTERS, type Finder, type Match } from './matches.ts';

/** Backslashes before a cut that are kept: an escape then reads the same after the cut. */
const MAX_BACKSLASHES = 64;
/** Characters that are searched at once. The search of one piece has no pause. */
const PIECE_CHARACTERS = 16 * 1024;

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
    for (const { start, end, name } of matchesIn(finder(), buffer)) {
      if (start < from || start >= limit) continue;
      if (start >= resume) parts.push(buffer.slice(at, start), writePlaceholder(name));
      resume = Math.max(resume, end);
      at = Math.max(at, resume);
    }
    if (at < limit) parts.push(buffer.slice(at, limit));
    const keep = contextStart(buffer, limit);
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

/** Returns the steps to a text with placeholders for all known values. */
export function* redactSteps(finder: Finder, text: string): Steps<string> {
  const pieces = redactInPieces(() => finder);
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    if (at > 0) yield;
    parts.push(pieces.push(text.slice(at, at + PIECE_CHARACTERS)));
  }
  parts.push(pieces.end());
  return parts.join('');
}

/** Returns the matches in a short text that are not inside of a placeholder. */
export function matchesIn(finder: Finder, text: string): readonly Match[] {
  const matches = finder.find(text);
  return matches.length === 0 ? matches : visibleIn(matches, readPlaceholders(text));
}

/** Returns the steps to the matches in a text that are not inside of a placeholder. Searches it piece by piece. */
export function* matchSteps(finder: Finder, text: string): Steps<readonly Match[]> {
  const matches: Match[] = [];
  for (let at = 0; at < text.length; ) {
    // The reach grows when another work adds values.
    const reach = finder.reach();
    const end = at + Math.max(PIECE_CHARACTERS, reach);
    const from = contextStart(text, at);
    for (const { start, end: last, name } of finder.find(text.slice(from, end + reach))) {
      if (from + start >= at && from + start < end) matches.push({ start: from + start, end: from + last, name });
    }
    at = end;
    if (at < text.length) yield;
  }
  return matches.length === 0 ? matches : visibleIn(matches, yield* placeholderSteps(text));
}

/** Returns where to start a search so that a match at `at` is found as in the whole text. */
function contextStart(text: string, at: number): number {
  let start = Math.max(0, at - CONTEXT_CHARACTERS);
  for (let back = 0; back < MAX_BACKSLASHES && start > 0 && text[start - 1] === '\\'; back++) start--;
  return start;
}

/** Returns the matches that are not inside of a placeholder. */
function visibleIn(matches: readonly Match[], placeholders: readonly LookAlike[]): readonly Match[] {
  let at = 0;
  return matches.filter(({ start, end }) => {
    while ((placeholders[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
    const next = placeholders[at];
    return next === undefined || start < next.start || next.end < end;
  });
}
