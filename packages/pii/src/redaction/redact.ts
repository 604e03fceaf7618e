import type { Span } from '../detection/detector.ts';
import { PiiError } from '../errors.ts';
import { eachLeaf, type Leaf, mapLeaves } from '../json-walk.ts';
import { escapeLookAlikes, readPlaceholders, writePlaceholder } from '../placeholder.ts';
import type { FoundValue, Vault } from '../vault/vault.ts';

/** What protection needs of a span. */
export type Found = Pick<Span, 'start' | 'end' | 'type'>;

/** What was found in one text, number or key of a JSON value; see `Finding`. */
export interface FoundAt {
  readonly path: readonly (string | number)[];
  readonly spans: readonly Found[];
  readonly value: string | number;
  readonly inKey?: true;
}

export interface RedactOptions {
  readonly vault: Vault;
  /** Types of which what models make of a placeholder is read; the same as for restoring. */
  readonly types: ReadonlySet<string>;
  /** The server that the value came from. */
  readonly source?: string;
  /** Tells, of values that are about to be known, those that came from other servers before, by these. */
  readonly inherited?: (values: readonly FoundValue[]) => Promise<ReadonlyMap<string, readonly FoundValue[]>>;
  /**
   * `escaped` (default) for what comes from outside: text that reads as a placeholder is escaped. `kept` for what a
   * program made: it is a placeholder, and no part of a value.
   */
  readonly placeholders?: 'escaped' | 'kept';
}

const NO_TYPES: ReadonlySet<string> = new Set();

/**
 * Replaces values by placeholders, in the texts, numbers and keys of a JSON value. `findings` stand in the order of its
 * leaves, those in keys anywhere among them. A number with a span becomes a placeholder as a whole. What comes out is JSON
 * again, and restoring it gives the same again. Nothing comes out when anything fails.
 */
export async function redactFindings(
  value: unknown,
  findings: readonly FoundAt[],
  { vault, types, source, inherited, placeholders = 'escaped' }: RedactOptions,
): Promise<unknown> {
  const isKept = placeholders === 'kept';
  const found: FoundValue[] = [];
  const cut = (text: string, spans: readonly Found[]): Piece[] => {
    const pieces = cutAt(text, isKept ? outsidePlaceholders(text, spans) : spans);
    found.push(...pieces.filter((piece) => typeof piece === 'object'));
    return pieces;
  };
  const keys = new Map<string, Piece[]>();
  for (const { inKey, value: key, spans } of findings) if (inKey) keys.set(String(key), cut(String(key), spans));
  const leaves = findLeaves(
    value,
    findings.filter(({ inKey }) => !inKey),
  ).map((finding) => {
    if (typeof finding?.value !== 'number') return finding && cut(finding.value, finding.spans);
    const number: FoundValue = { type: finding.spans[0]?.type ?? '', text: String(finding.value), numeric: true };
    found.push(number);
    return [number];
  });
  const before = await inherited?.(found);
  const names = await vault.allocate(found, source);
  for (const [other, values] of before ?? []) await vault.allocate(values, other);
  const written = new Map(found.map((item, index) => [item, writePlaceholder(names[index] ?? '')]));
  const plain = (text: string) => (isKept ? text : escapeLookAlikes(text, types));
  const join = (pieces: readonly Piece[]) =>
    pieces.map((piece) => (typeof piece === 'string' ? plain(piece) : (written.get(piece) ?? ''))).join('');
  let at = 0;
  return mapLeaves(
    value,
    (leaf) => {
      const pieces = leaves[at++];
      if (pieces) return join(pieces);
      return typeof leaf === 'string' ? plain(leaf) : leaf;
    },
    (key) => {
      const pieces = keys.get(key);
      return pieces ? join(pieces) : plain(key);
    },
  );
}

/** Text between values, or a value. */
type Piece = string | FoundValue;

/** The finding of each leaf, in the order of the leaves. */
function findLeaves(value: unknown, findings: readonly FoundAt[]): ((FoundAt & { value: Leaf }) | undefined)[] {
  const leaves: (FoundAt | undefined)[] = [];
  let next = 0;
  eachLeaf(value, (leaf, path) => {
    const finding = findings[next];
    const isHere = finding?.value === leaf && isSamePath(finding.path, path);
    leaves.push(isHere ? finding : undefined);
    if (isHere) next++;
  });
  if (next === findings.length) return leaves;
  throw new PiiError('INTERNAL', `${findings.length - next} findings are not in the order of the value's leaves.`);
}

function isSamePath(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

/** Cuts a text at its spans. Spans that overlap become one, of the type of the first: no character of any stays. */
function cutAt(text: string, spans: readonly Found[]): Piece[] {
  const joined: { start: number; end: number; type: string }[] = [];
  for (const { start, end, type } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end <= start || end > text.length) {
      throw new PiiError('INTERNAL', `A detector gave a span that is not in its text: ${start} to ${end}.`);
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

/** The spans without the placeholders in them, and without what is left of a span that has no letter or digit. */
function outsidePlaceholders(text: string, spans: readonly Found[]): Found[] {
  const placeholders = spans.length === 0 ? [] : readPlaceholders(text, NO_TYPES);
  if (placeholders.length === 0) return [...spans];
  return spans.flatMap((span) => {
    const rest: Found[] = [];
    let start = span.start;
    const add = (end: number) => {
      const part = text.slice(start, end);
      const trimmed = part.replace(/^[^\p{L}\p{N}]+/u, '');
      const from = start + part.length - trimmed.length;
      const kept = trimmed.replace(/[^\p{L}\p{N}]+$/u, '');
      if (kept !== '') rest.push({ start: from, end: from + kept.length, type: span.type });
    };
    for (const placeholder of placeholders) {
      if (placeholder.end <= start || placeholder.start >= span.end) continue;
      if (placeholder.start > start) add(placeholder.start);
      start = placeholder.end;
    }
    if (start === span.start) return [span];
    if (start < span.end) add(span.end);
    return rest;
  });
}
