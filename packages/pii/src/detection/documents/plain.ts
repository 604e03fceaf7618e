import { isWithoutCandidate } from '../../encodings/layers.ts';
import { PART_ITEMS } from '../../slices.ts';
import type { SchemaHint } from '../detector.ts';
import { mayListColumns } from '../hints/columns.ts';
import { type KeyFacts, keyFacts } from '../hints/key-facts.ts';
import type { KeyHint } from '../hints/keys.ts';
import { schemaHint } from '../hints/schema.ts';
import type { Leaf } from '../scanning/leaf.ts';
import { leafOf, leafOfKey } from './place.ts';
import type { SeenTexts } from './seen-texts.ts';
import { spansOf } from './value.ts';

/** Shorter texts hold no compressed content. */
const MAX_TEXT_CHARACTERS = 19;
/** Shorter lists of numbers or characters are no bytes. */
const MAX_LIST_ITEMS = 5;
const MAX_KEYS = 10_000;
/** Hints of keys whose values depend on no other entry. */
const INDEPENDENT: ReadonlySet<KeyHint | undefined> = new Set([undefined, 'OTHER', 'NEUTRAL', 'TEXT'] as const);
/** Keys of binary content, which is not searched, and of typed arrays. */
const SPECIAL = /^(?:mimeType|blob|\d.*)$/;

const ROOT = leafOf(undefined, false, 'text');

/** A key that is no value, and whose value depends on no other entry. `leaf` is for a value without a hint from above. */
interface PlainKey {
  readonly facts: KeyFacts;
  readonly leaf: Leaf;
}

const plainKeys = new Map<string, PlainKey | undefined>();
const plainSchemas = new WeakMap<object, boolean>();

/**
 * Checks quickly whether a small value holds nothing to redact except known values: the whole search would find nothing, and would escape
 * nothing. Returns false where only the whole search can decide.
 */
export function isPlainValue(value: unknown, schema: SchemaHint | undefined, seen: SeenTexts | undefined): boolean {
  if (schema !== undefined && !isPlainSchema(schema, { left: PART_ITEMS })) return false;
  return isPlain(value, undefined, ROOT, { left: PART_ITEMS, seen });
}

interface Reading {
  /** Entries that may still be read. */
  left: number;
  readonly seen: SeenTexts | undefined;
}

function isPlain(node: unknown, hint: KeyHint | undefined, leaf: Leaf, reading: Reading): boolean {
  if (typeof node === 'string') return isPlainText(node, leaf, reading.seen);
  if (typeof node !== 'object') return typeof node !== 'symbol' && typeof node !== 'function';
  if (node === null) return true;
  if (Array.isArray(node)) {
    reading.left -= node.length;
    // Rows of cells may be a table.
    if (reading.left < 0 || Array.isArray(node[0])) return false;
    if (node.length > MAX_LIST_ITEMS && typeof node[0] !== 'object') return false;
    return node.every((item) => isPlain(item, hint, leaf, reading));
  }
  const prototype: unknown = Object.getPrototypeOf(node);
  if (prototype !== Object.prototype && prototype !== null) return false;
  let hasLabel = false;
  let hasNeutral = false;
  for (const [key, child] of Object.entries(node)) {
    const plain = plainKey(key);
    if (plain === undefined || --reading.left < 0) return false;
    const { facts } = plain;
    hasLabel ||= facts.typeLabel;
    hasNeutral ||= facts.hint === 'NEUTRAL';
    // A `type` decides about a `value`.
    if (hasLabel && hasNeutral) return false;
    const inherits = facts.hint === 'NEUTRAL' && hint !== undefined;
    const own = facts.hint === 'NEUTRAL' ? hint : facts.hint;
    if (!isPlain(child, own, inherits ? leafOfKeyed(key, hint, facts) : plain.leaf, reading)) return false;
  }
  return true;
}

function isPlainText(text: string, leaf: Leaf, seen: SeenTexts | undefined): boolean {
  if (text.length > MAX_TEXT_CHARACTERS || !isWithoutCandidate(text)) return false;
  const spans = spansOf({ value: text, leaf }, seen);
  return !('next' in spans) && spans.length === 0;
}

function leafOfKeyed(key: string, hint: KeyHint | undefined, { id }: KeyFacts): Leaf {
  return leafOf(hint === 'NEUTRAL' ? undefined : hint, id, key === '' ? 'text' : 'value');
}

function plainKey(key: string): PlainKey | undefined {
  const known = plainKeys.get(key);
  if (known !== undefined || plainKeys.has(key)) return known;
  const facts = keyFacts(key);
  const isPlainKey =
    INDEPENDENT.has(facts.hint) &&
    !mayListColumns(key) &&
    !SPECIAL.test(key) &&
    isPlainText(key, leafOfKey(key, undefined), undefined);
  if (plainKeys.size >= MAX_KEYS) plainKeys.clear();
  const plain = isPlainKey ? { facts, leaf: leafOfKeyed(key, facts.hint, facts) } : undefined;
  plainKeys.set(facts.key, plain);
  return plain;
}

/** Checks a schema for types of values, once. */
function isPlainSchema(schema: SchemaHint, reading: { left: number }): boolean {
  const known = plainSchemas.get(schema);
  if (known !== undefined) return known;
  const { properties, items } = schema;
  const parts = [items, ...(typeof properties === 'object' && properties !== null ? Object.values(properties) : [])];
  reading.left -= parts.length;
  const isPlainPart = (part: unknown) =>
    typeof part !== 'object' || part === null || isPlainSchema(part as SchemaHint, reading);
  const result = reading.left >= 0 && schemaHint(schema) === undefined && parts.every(isPlainPart);
  plainSchemas.set(schema, result);
  return result;
}
