import { ToolwrightError } from '../errors.ts';
import type { Span } from './detector.ts';
import { eachLeaf, mapLeaves } from './json-walk.ts';
import { escapeLookAlikes, writePlaceholder } from './placeholder.ts';
import type { FoundValue, Vault } from './vault.ts';

/** What protection needs of a finding. */
export type Found = Pick<Span, 'start' | 'end' | 'type'>;

/** What is known of a text in a JSON value: numbers come as their decimal text. */
export interface LeafText {
  readonly text: string;
  /** Keys and indexes that lead to it; good during the call only. */
  readonly path: readonly (string | number)[];
  readonly numeric: boolean;
}

export interface ProtectOptions {
  readonly vault: Vault;
  /** Types of which what models make of a placeholder is read; the same as for restoring. */
  readonly types: ReadonlySet<string>;
  /** The server that the value came from. */
  readonly source?: string;
}

/**
 * Replaces values by placeholders, in the texts and numbers of a JSON value; keys stay. `spansOf` tells what is a value in
 * each; a number with a span becomes a placeholder as a whole. Text that reads as a placeholder is escaped. What comes out
 * is JSON again, and restoring it gives the same again. Nothing comes out when anything fails.
 */
export async function protect(
  value: unknown,
  spansOf: (leaf: LeafText) => readonly Found[],
  { vault, types, source }: ProtectOptions,
): Promise<unknown> {
  const pieces: (readonly Piece[] | undefined)[] = [];
  const found: FoundValue[] = [];
  eachLeaf(value, (leaf, path) => {
    const numeric = typeof leaf === 'number';
    const text = String(leaf);
    const spans = spansOf({ text, path, numeric });
    if (spans.length === 0) return pieces.push(undefined);
    const cut = numeric ? [wholeNumber(text, spans)] : cutAt(text, spans);
    pieces.push(cut);
    return found.push(...cut.filter((piece) => typeof piece === 'object'));
  });
  const names = await vault.allocate(found, source);
  const placeholders = new Map(found.map((item, index) => [item, writePlaceholder(names[index] ?? '')]));
  let at = 0;
  return mapLeaves(value, (leaf) => {
    const cut = pieces[at++];
    if (cut === undefined) return typeof leaf === 'string' ? escapeLookAlikes(leaf, types) : leaf;
    return cut
      .map((piece) => (typeof piece === 'string' ? escapeLookAlikes(piece, types) : (placeholders.get(piece) ?? '')))
      .join('');
  });
}

/** Text between values, or a value. */
type Piece = string | FoundValue;

function wholeNumber(text: string, [first]: readonly Found[]): FoundValue {
  return { type: first?.type ?? '', text, numeric: true };
}

/** Cuts a text at its spans. Spans that overlap become one, of the type of the first: no character of any stays. */
function cutAt(text: string, spans: readonly Found[]): Piece[] {
  const joined: { start: number; end: number; type: string }[] = [];
  for (const { start, end, type } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end <= start || end > text.length) {
      throw new ToolwrightError('INTERNAL', `A detector gave a span that is not in its text: ${start} to ${end}.`);
    }
    const last = joined.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end, type });
  }
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, type } of joined) {
    pieces.push(text.slice(at, start), { type, text: text.slice(start, end) });
    at = end;
  }
  return [...pieces, text.slice(at)];
}
