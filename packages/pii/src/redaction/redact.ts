import type { Span } from '../detection/detector.ts';
import { PiiError } from '../errors.ts';
import { eachLeaf, type Leaf, mapLeaves } from '../json-walk.ts';
import { escapeLookAlikes, readPlaceholders, writePlaceholder } from '../placeholder.ts';
import type { FoundValue, Vault } from '../vault/vault.ts';

/** The part of a span that redaction reads. */
export type Found = Pick<Span, 'start' | 'end' | 'type'>;

/** The findings of one text, number or key of a JSON value; see `Finding`. */
export interface FoundAt {
  readonly path: readonly (string | number)[];
  readonly spans: readonly Found[];
  readonly value: string | number;
  readonly inKey?: true;
}

export interface RedactOptions {
  readonly vault: Vault;
  /** Types whose placeholders are also read in the variants that models write. Use the same types to restore. */
  readonly types: ReadonlySet<string>;
  /** The server that returned the value. */
  readonly source?: string;
  /** Returns the new values that contain values of other servers, by those servers. */
  readonly inherited?: (values: readonly FoundValue[]) => Promise<ReadonlyMap<string, readonly FoundValue[]>>;
  /**
   * `escaped` (default) for values from outside: a text that looks like a placeholder is escaped. `kept` for values of a
   * program: it is a placeholder, and no part of a value.
   */
  readonly placeholders?: 'escaped' | 'kept';
}

const NO_TYPES: ReadonlySet<string> = new Set();

/**
 * Replaces values by placeholders in the texts, numbers and keys of a JSON value. `findings` are in the order of its leaves,
 * with findings in keys anywhere among them. A number with a span becomes a placeholder as a whole. The result is JSON, and
 * `restore` returns the original. Rejects without a result if a step fails.
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
    // Not spread: a text may have more values than a call can have arguments.
    for (const piece of pieces) if (typeof piece === 'object') found.push(piece);
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

/** A text between values, or a value. */
type Piece = string | FoundValue;

/** Returns the finding of each leaf, in the order of the leaves. */
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
  throw new PiiError(
    'INTERNAL',
    `${findings.length - next} findings do not match the leaves of the value. Report this as a bug.`,
  );
}

function isSamePath(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

/** Cuts a text at its spans. Overlapping spans become one, of the type of the first, so that no character of either stays. */
function cutAt(text: string, spans: readonly Found[]): Piece[] {
  const joined: { start: number; end: number; type: string }[] = [];
  for (const { start, end, type } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end <= start || end > text.length) {
      throw new PiiError(
        'INTERNAL',
        `A detector returned the span ${start}-${end} for a text of ${text.length} characters. Fix the detector.`,
      );
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

/** Removes placeholders from spans, and then the parts without a letter or digit. */
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
