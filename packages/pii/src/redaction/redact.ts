import { mayHaveEncoding } from '../encodings/layers.ts';
import { type Rewriting, rewriteSteps } from '../encodings/rewrite.ts';
import { PiiError } from '../errors.ts';
import { byStartAndLength, inOrderSteps } from '../in-order.ts';
import { type Leaf, mapSteps } from '../json-walk.ts';
import { escaped, mayHavePlaceholder, placeholderSteps, writePlaceholder } from '../placeholder.ts';
import { atOnceIfShort, inSlices, joinSteps, type Later, mapInSlices, PART_ITEMS, type Steps } from '../slices.ts';
import type { FoundValue, Vault } from '../vault/vault.ts';
import { type Distinct, distinctValues } from './distinct-values.ts';
import {
  type EncodedText,
  type Found,
  type Look,
  mayBeEncodedSteps,
  type ReadOptions,
  readEncodedText,
} from './encoded-values.ts';

export type { Found } from './encoded-values.ts';

/** The findings of one text, number or key of a JSON value; see `Finding`, also for `leaf`. */
export interface FoundAt {
  readonly leaf: number;
  readonly spans: readonly Found[];
  readonly value: Leaf;
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
  /** Returns the findings of a decoded text: values are replaced inside of encoded runs. Default: none. */
  readonly look?: Look;
}

const lookNowhere: Look = async () => [];
const ESCAPING: Rewriting = { replace: escaped, isPlaceholder: () => true };

/** Texts that are cut between two looks at the time. */
const FEW_LEAVES = 32;

/**
 * Replaces values by placeholders in the texts, numbers and keys of a JSON value. A value in an encoded text is replaced
 * there, and the text is encoded again. A text that would not restore exactly becomes one placeholder. `findings` are in the order of its leaves,
 * with findings in keys anywhere among them. A number with a span becomes a placeholder as a whole. The result is JSON, and
 * `restore` returns the original. Rejects without a result if a step fails.
 */
export async function redactFindings(
  value: unknown,
  findings: readonly FoundAt[],
  { vault, types, source, inherited, placeholders = 'escaped', look = lookNowhere }: RedactOptions,
): Promise<unknown> {
  const isKept = placeholders === 'kept';
  const { found, keys, leaves } = findings.length === 0 ? NOTHING_CUT : await cutAt(findings, { isKept, types, look });
  const before = found.length > 0 ? await inherited?.(found) : undefined;
  const names = found.length > 0 ? await vault.allocate(found, source) : [];
  for (const [other, values] of before ?? []) await vault.allocate(values, other);
  const written = new Map<FoundValue, string>();
  await mapInSlices(found, (one, index) => written.set(one, writePlaceholder(names[index] ?? '')));

  const plain = (text: string): Later<string> =>
    isKept || !(mayHavePlaceholder(text) || mayHaveEncoding(text))
      ? text
      : atOnceIfShort(text.length, rewriteSteps(text, types, ESCAPING));
  function* joinPieces(pieces: readonly Piece[]): Steps<string> {
    const parts: string[] = [];
    for (const [index, piece] of pieces.entries()) {
      if (index % PART_ITEMS === PART_ITEMS - 1) yield;
      const part = typeof piece === 'string' ? plain(piece) : (written.get(piece) ?? '');
      parts.push(typeof part === 'string' ? part : yield* part);
    }
    return yield* joinSteps(parts);
  }
  const join = (pieces: Pieces): Later<string> => {
    if ('write' in pieces) return pieces.write((item) => written.get(item) ?? '');
    const [only] = pieces;
    return pieces.length === 1 && typeof only === 'object' ? (written.get(only) ?? '') : joinPieces(pieces);
  };
  let at = 0;
  let next = 0;
  const redacted = await inSlices(
    mapSteps(
      value,
      (leaf) => {
        const cut = leaves[next];
        if (cut?.leaf !== at++) return typeof leaf === 'string' ? plain(leaf) : leaf;
        if (cut.value !== leaf) throw unmatched(leaves.length - next);
        next++;
        return join(cut.pieces);
      },
      (key) => {
        const pieces = keys.get(key);
        return pieces ? join(pieces) : plain(key);
      },
    ),
  );
  if (next < leaves.length) throw unmatched(leaves.length - next);
  return redacted;
}

function unmatched(count: number): PiiError {
  return new PiiError('INTERNAL', `${count} findings do not match the leaves of the value. Report this as a bug.`);
}

/** The texts of a value, cut at their findings. */
interface Cut {
  /** All values in the texts, each once. */
  readonly found: readonly FoundValue[];
  readonly keys: ReadonlyMap<string, Pieces>;
  /** The leaves with findings, in their order. */
  readonly leaves: readonly CutLeaf[];
}

interface CutLeaf {
  readonly leaf: number;
  readonly value: Leaf;
  readonly pieces: Pieces;
}

const NOTHING_CUT: Cut = { found: [], keys: new Map(), leaves: [] };

async function cutAt(
  findings: readonly FoundAt[],
  { isKept, ...options }: { readonly isKept: boolean; readonly types: ReadonlySet<string>; readonly look: Look },
): Promise<Cut> {
  const distinct = distinctValues();
  const encoded = await encodedTexts(findings, isKept, { ...options, distinct });
  return inSlices(cutSteps(findings, { isKept, encoded, distinct }));
}

/** Reads the texts whose values may be inside of encodings. A text from outside that does not restore is one value. */
async function encodedTexts(
  findings: readonly FoundAt[],
  isKept: boolean,
  options: Omit<ReadOptions, 'outside'>,
): Promise<ReadonlyMap<FoundAt, EncodedText>> {
  const texts = new Map<FoundAt, EncodedText>();
  for (const { finding, value } of await inSlices(encodedSteps(findings))) {
    const { spans } = finding;
    const read = await readEncodedText(value, spans, isKept ? { ...options, outside: outsidePlaceholders } : options);
    if (read) texts.set(finding, read);
    else if (!isKept) {
      const whole = options.distinct({ type: spans[0]?.type ?? '', text: value });
      texts.set(finding, { values: [whole], write: (placeholderOf) => placeholderOf(whole) });
    }
  }
  return texts;
}

/** Returns the findings whose values may be inside of encodings, with their texts. */
function* encodedSteps(findings: readonly FoundAt[]): Steps<{ readonly finding: FoundAt; readonly value: string }[]> {
  const encoded: { finding: FoundAt; value: string }[] = [];
  for (const [index, finding] of findings.entries()) {
    if (index % FEW_LEAVES === FEW_LEAVES - 1) yield;
    const { value, spans } = finding;
    if (typeof value === 'string' && (yield* mayBeEncodedSteps(value, spans))) encoded.push({ finding, value });
  }
  return encoded;
}

interface CutOptions {
  readonly isKept: boolean;
  readonly encoded: ReadonlyMap<FoundAt, EncodedText>;
  readonly distinct: Distinct;
}

function* cutSteps(findings: readonly FoundAt[], { isKept, encoded, distinct }: CutOptions): Steps<Cut> {
  const found = new Set<FoundValue>();
  const add = (value: FoundValue): FoundValue => {
    const known = distinct(value);
    found.add(known);
    return known;
  };
  function* longSteps(text: string, spans: readonly Found[]): Steps<Pieces> {
    return yield* pieceSteps(text, isKept ? yield* outsidePlaceholders(text, spans) : spans, add);
  }
  const cut = (finding: FoundAt, text: string): Later<Pieces> => {
    const read = encoded.get(finding);
    for (const value of read?.values ?? []) found.add(value);
    if (read) return read;
    const type = isKept ? undefined : wholeType(finding.spans, text);
    return type === undefined ? longSteps(text, finding.spans) : [add({ type, text })];
  };
  const keys = new Map<string, Pieces>();
  for (const finding of findings) {
    if (!finding.inKey) continue;
    const key = String(finding.value);
    const pieces = cut(finding, key);
    keys.set(key, 'next' in pieces ? yield* pieces : pieces);
    yield;
  }
  const leaves: CutLeaf[] = [];
  for (const finding of findings) {
    const { leaf, value, spans, inKey } = finding;
    if (inKey) continue;
    if (typeof value === 'string') {
      const pieces = cut(finding, value);
      leaves.push({ leaf, value, pieces: 'next' in pieces ? yield* pieces : pieces });
    } else {
      const number = add({ type: spans[0]?.type ?? '', text: String(value), numeric: true });
      leaves.push({ leaf, value, pieces: [number] });
    }
    if (leaves.length % FEW_LEAVES === 0) yield;
  }
  return { found: [...found], keys, leaves };
}

/** Returns the type of a text that is one value. Most are. */
function wholeType(spans: readonly Found[], text: string): string | undefined {
  const [only] = spans;
  if (spans.length !== 1 || only?.start !== 0 || only.end !== text.length) return undefined;
  return only.type;
}

/** A text between values, or a value. */
type Piece = string | FoundValue;

/** The pieces of a text, or a text with values inside of its encodings. */
type Pieces = readonly Piece[] | EncodedText;

/** Cuts a text at its spans. Overlapping spans become one, of the type of the first, so that no character of either stays. */
function* pieceSteps(
  text: string,
  spans: readonly Found[],
  add: (value: FoundValue) => FoundValue,
): Steps<readonly Piece[]> {
  const pieces: Piece[] = [];
  let at = 0;
  let open: { start: number; end: number; type: string } | undefined;
  const close = () => {
    if (open === undefined) return;
    const { start, end, type } = open;
    pieces.push(text.slice(at, start), add({ type, text: text.slice(start, end) }));
    at = end;
  };
  for (const [index, { start, end, type }] of (yield* inOrderSteps(spans, byStartAndLength)).entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end <= start || end > text.length) {
      throw new PiiError(
        'INTERNAL',
        `A detector returned the span ${start}-${end} for a text of ${text.length} characters. Fix the detector.`,
      );
    }
    if (open && start < open.end) open.end = Math.max(open.end, end);
    else {
      close();
      open = { start, end, type };
    }
  }
  close();
  pieces.push(text.slice(at));
  return pieces;
}

/** Removes placeholders from spans, and then the parts without a letter or digit. */
function* outsidePlaceholders(text: string, spans: readonly Found[]): Steps<readonly Found[]> {
  const placeholders = spans.length === 0 ? [] : yield* placeholderSteps(text);
  if (placeholders.length === 0) return spans;
  const rest: Found[] = [];
  const add = (start: number, end: number, type: string) => {
    const part = text.slice(start, end);
    const trimmed = part.replace(/^[^\p{L}\p{N}]+/u, '');
    const from = start + part.length - trimmed.length;
    const kept = trimmed.replace(/[^\p{L}\p{N}]+$/u, '');
    if (kept !== '') rest.push({ start: from, end: from + kept.length, type });
  };
  /** The first placeholder that ends after the start of the span: spans and placeholders are in order. */
  let first = 0;
  for (const [index, { start, end, type }] of (yield* inOrderSteps(spans, byStartAndLength)).entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    while ((placeholders[first]?.end ?? Number.POSITIVE_INFINITY) <= start) first++;
    let at = start;
    for (let next = first; ; next++) {
      const placeholder = placeholders[next];
      if (placeholder === undefined || placeholder.start >= end) break;
      if (placeholder.start > at) add(at, placeholder.start, type);
      at = placeholder.end;
    }
    if (at === start) rest.push({ start, end, type });
    else if (at < end) add(at, end, type);
  }
  return rest;
}
