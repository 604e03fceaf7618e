import type { SchemaHint, Span } from '../detector.ts';
import { keyFacts, typeLabelHint } from '../hints/key-facts.ts';
import { isPersonKey, type KeyHint, keyedHint, keyHint } from '../hints/keys.ts';
import { schemaHint } from '../hints/schema.ts';
import { isNumericHint, type Leaf, scanNumber } from '../scanning/leaf.ts';
import { detectLeaf } from './text.ts';

/** A string or number in a value, with its findings. */
export interface Finding {
  /** Keys and indexes from the root of the value. */
  readonly path: readonly (string | number)[];
  /** Offsets in the string. The span of a number is the whole number. */
  readonly spans: readonly Span[];
  /** The leaf itself. */
  readonly value: string | number;
  /** Set if the findings are in the last key of the path, not in its value. */
  readonly inKey?: true;
}

/** The position of a value. */
export interface ValueOptions {
  /** The tool's output schema. */
  readonly schema?: SchemaHint;
  /** The key of the value itself. */
  readonly key?: string;
}

/** The facts about the leaves at a place of the tree. */
interface Place {
  readonly key: string;
  readonly hint: KeyHint | undefined;
  readonly person: boolean;
  readonly schema: SchemaHint | undefined;
}

/** Receives every string and number of a value with the facts of its keys and schema, and every key once. */
export type LeafVisitor = (
  leaf: Leaf,
  value: string | number,
  path: readonly (string | number)[],
  inKey: boolean,
) => void;

const PERSONAL = new Set<KeyHint | undefined>(['PHONE', 'EMAIL', 'NAME', 'DATE_OF_BIRTH', 'SSN']);

/** Finds personal data in a JSON value by the built-in rules, in the order of its leaves. */
export function detectValue(value: unknown, options: ValueOptions = {}): Finding[] {
  const findings: Finding[] = [];
  walkValue(value, options, (leaf, entry, path, inKey) => {
    const spans = detectEntry(entry, leaf);
    if (spans.length > 0) findings.push({ path: [...path], spans, value: entry, ...(inKey ? { inKey: true } : {}) });
  });
  return findings;
}

/** Returns the findings of one leaf. */
export function detectEntry(entry: string | number, leaf: Leaf): Span[] {
  if (typeof entry === 'string') return detectLeaf(entry, leaf);
  const span = isNumericHint(leaf.hint) ? scanNumber(String(entry), leaf.hint) : undefined;
  return span ? [span] : [];
}

/** Calls the visitor for each leaf. Without recursion: values of any depth are read. */
export function walkValue(value: unknown, { schema, key = '' }: ValueOptions, visit: LeafVisitor): void {
  const root: Place = { key, hint: schemaHint(schema) ?? keyHint(key), person: isPersonKey(key), schema };
  const open: { node: unknown; place: Place; path: readonly (string | number)[] }[] = [
    { node: value, place: root, path: [] },
  ];
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, place, path } = next;
    if (typeof node === 'string' || typeof node === 'number') visit(leafOf(place), node, path, false);
    else if (Array.isArray(node)) {
      const items = { ...place, schema: subschema(place.schema, 'items') };
      for (let index = node.length - 1; index >= 0; index--) {
        open.push({ node: node[index], place: items, path: [...path, index] });
      }
    } else if (typeof node === 'object' && node !== null) {
      const entries = Object.entries(node);
      const labelHint = typeLabelIn(node as Record<string, unknown>);
      const person = place.person || entries.some(([name]) => PERSONAL.has(keyHint(name)));
      for (const [name, child] of entries.reverse()) {
        open.push({ node: child, place: inside({ ...place, person }, name, labelHint), path: [...path, name] });
        // Every row of a list has the same keys.
        if (seen.size === seen.add(name).size) continue;
        visit(leafOfKey(name, place.hint), name, [...path, name], true);
      }
    }
  }
}

/** Returns the facts that the key of an object indicates for its value. */
function inside(parent: Place, key: string, labelHint: KeyHint | undefined): Place {
  const properties = subschema(parent.schema, 'properties') as Record<string, unknown> | undefined;
  const schema =
    properties !== undefined && Object.hasOwn(properties, key) ? (properties[key] as SchemaHint) : undefined;
  const own = keyHint(key);
  let hint = schemaHint(schema) ?? own;
  if (hint === 'NEUTRAL') hint = labelHint ?? (parent.hint === undefined ? 'NEUTRAL' : parent.hint);
  else if (hint === 'ADDRESS_PART') hint = parent.hint === 'ADDRESS' ? 'ADDRESS_PART' : 'OTHER';
  else if (hint === 'BARE_NAME') hint = parent.person && /name$/i.test(key) ? 'NAME' : undefined;
  return { key, hint, person: isPersonKey(key) || (own === 'NEUTRAL' && parent.person), schema };
}

function leafOf({ key, hint }: Place): Leaf {
  return { hint: hint === 'NEUTRAL' ? undefined : hint, id: keyFacts(key).id, place: key === '' ? 'text' : 'value' };
}

/** Returns the facts of a key that may be a value itself, by its parent key: `{phones: {"+1 …": …}}`. */
function leafOfKey(name: string, above: KeyHint | undefined): Leaf {
  if (name.includes('@')) return { hint: 'OTHER', id: true };
  return { hint: keyedHint(above), place: 'value' };
}

function typeLabelIn(node: Record<string, unknown>): KeyHint | undefined {
  for (const [name, label] of Object.entries(node)) {
    const hint =
      typeof label === 'string' && label.length < 64 && keyFacts(name).typeLabel ? typeLabelHint(label) : undefined;
    if (hint !== undefined) return hint;
  }
  return undefined;
}

function subschema(schema: SchemaHint | undefined, name: 'properties' | 'items'): SchemaHint | undefined {
  const part = schema?.[name];
  return typeof part === 'object' && part !== null ? (part as SchemaHint) : undefined;
}
