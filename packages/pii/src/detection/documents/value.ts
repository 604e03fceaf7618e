import { atOnce, PART_ITEMS, type Steps } from '../../slices.ts';
import type { SchemaHint, Span } from '../detector.ts';
import { keyFacts, typeLabelHint } from '../hints/key-facts.ts';
import { type KeyHint, keyedHint, keyHint } from '../hints/keys.ts';
import { addEntry, isNameOf, noEvidence, type ObjectEvidence } from '../hints/object-evidence.ts';
import { schemaHint } from '../hints/schema.ts';
import { isNumericHint, type Leaf, scanNumber } from '../scanning/leaf.ts';
import { type Columns, cellValue, columnsIn, columnsOfEntry, columnsOfList } from './columns.ts';
import { valueSteps } from './text.ts';

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
  /** The evidence for a person or a thing by the key of this value. */
  readonly inside: number;
  /** It describes a page of a list: a `token` in it is no secret. */
  readonly paging: boolean;
  readonly schema: SchemaHint | undefined;
  /** The columns of a table in this value. */
  readonly columns: Columns | undefined;
  /** The facts of its children by key: objects of a list have the same keys. */
  readonly children: Map<string, Place>;
}

/** A string, number or key of a value, with the facts of its keys and schema. Every key occurs once. */
export interface FoundLeaf {
  readonly leaf: Leaf;
  readonly value: string | number;
  readonly path: readonly (string | number)[];
  readonly inKey: boolean;
}

const PAGE_TOKEN = /^token$/i;
const MAX_CACHED_KEYS = 1_000;
const PLAIN_WORD = /^[A-Za-z_-]{0,14}$/;

/** Finds personal data in a JSON value by the built-in rules, in the order of its leaves. */
export function detectValue(value: unknown, options: ValueOptions = {}): Finding[] {
  const findings: Finding[] = [];
  for (const found of leavesOf(value, options)) {
    if (found === undefined) continue;
    const { leaf, value: entry, path, inKey } = found;
    const spans = atOnce(entrySteps(entry, leaf));
    if (spans.length > 0) findings.push({ path, spans, value: entry, ...(inKey ? { inKey: true } : {}) });
  }
  return findings;
}

/** Returns the findings of one leaf. */
export function* entrySteps(entry: string | number, leaf: Leaf): Steps<Span[]> {
  if (typeof entry === 'string') return isPlainWord(entry, leaf) ? [] : yield* valueSteps(entry, leaf);
  const span = isNumericHint(leaf.hint) ? scanNumber(String(entry), leaf.hint) : undefined;
  return span ? [span] : [];
}

/** Checks for a word without digits and signs, such as a status, with a key that indicates no type. */
function isPlainWord(text: string, { hint }: Leaf): boolean {
  return (hint === undefined || hint === 'OTHER') && PLAIN_WORD.test(text);
}

/**
 * Returns all leaves in order, one at a time, and `undefined` between parts of a long search for them. Without recursion:
 * values of any depth are read.
 */
export function* leavesOf(value: unknown, { schema, key = '' }: ValueOptions): Generator<FoundLeaf | undefined, void> {
  const root: Place = {
    key,
    hint: schemaHint(schema) ?? keyHint(key),
    inside: keyFacts(key).inside,
    paging: keyFacts(key).paging,
    schema,
    columns: undefined,
    children: new Map(),
  };
  const open: Opened[] = [];
  const seen = new Set<string>();
  let next: Opened['next'] | undefined = () => ({ node: value, place: root, path: [] });
  while (next) {
    const found = next();
    if (found === undefined) open.pop();
    else {
      const { node, place, path } = found;
      if (typeof node === 'string' || typeof node === 'number') {
        yield { leaf: leafOf(place), value: node, path, inKey: false };
      } else if (Array.isArray(node)) {
        if (place.columns?.of !== 'row') open.push(openArray(node, place, path));
        else {
          const { names } = place.columns;
          const entry = (at: number): unknown => node[at];
          const row = { entry, names, part: (at: number) => at, size: node.length };
          open.push(openEntries(row, yield* factsOf(row, place), path));
        }
      } else if (typeof node === 'object' && node !== null) {
        const names = Object.keys(node);
        // Every row of a list has the same keys.
        for (let at = names.length - 1; at >= 0; at--) {
          const name = names[at] ?? '';
          if (at % PART_ITEMS === PART_ITEMS - 1) yield undefined;
          if (seen.size === seen.add(name).size) continue;
          yield { leaf: leafOfKey(name, place.hint), value: name, path: [...path, name], inKey: true };
        }
        const entry = (at: number): unknown => Reflect.get(node, names[at] ?? '');
        const entries = { entry, names, part: (at: number) => names[at] ?? '', size: names.length };
        const columns = place.columns ?? columnsIn(node, names);
        open.push(openEntries(entries, yield* factsOf(entries, columns ? { ...place, columns } : place), path));
      }
    }
    next = open.at(-1)?.next;
  }
}

/** A value with its place in the tree. */
interface Placed {
  readonly node: unknown;
  readonly place: Place;
  readonly path: readonly (string | number)[];
}

/** An open list or object. `next` returns its next child; undefined at its end. */
interface Opened {
  readonly next: () => Placed | undefined;
}

/** The entries of an object, or the cells of a row with the keys of their columns. */
interface Entries {
  readonly names: readonly string[];
  readonly size: number;
  readonly entry: (at: number) => unknown;
  readonly part: (at: number) => string | number;
}

function openArray(node: readonly unknown[], place: Place, path: readonly (string | number)[]): Opened {
  const columns = columnsOfList(node, place.columns);
  const rows = { ...place, schema: subschema(place.schema, 'items'), columns, children: new Map<string, Place>() };
  if (columns?.of === 'columns') return openColumns(node, columns.names, { ...rows, columns: undefined }, path);
  let index = 0;
  return {
    next: () => (index < node.length ? { node: node[index], place: rows, path: [...path, index++] } : undefined),
  };
}

/** Opens a list of columns, whose first cells are the keys of the others and evidence for names. */
function openColumns(
  lists: readonly unknown[],
  names: readonly string[],
  place: Place,
  path: readonly (string | number)[],
): Opened {
  const evidence = noEvidence();
  for (const name of names) addEntry(evidence, keyFacts(name), undefined);
  let column = 0;
  let row = 0;
  return {
    next() {
      while (row >= sizeOf(lists[column]) && column < lists.length) {
        column++;
        row = 0;
      }
      if (column >= lists.length) return undefined;
      const list = lists[column];
      if (!Array.isArray(list)) return { node: list, place, path: [...path, column++] };
      const cell: unknown = list[row];
      const own = row === 0 ? place : cellPlace(place, names[column] ?? '', cell, evidence);
      return { node: cell, place: own, path: [...path, column, row++] };
    },
  };
}

/** Returns the cells of a column. Other values are one cell. */
function sizeOf(column: unknown): number {
  return Array.isArray(column) ? column.length : 1;
}

/** The facts that the entries of an object indicate for each other. */
interface ObjectFacts {
  readonly place: Place;
  readonly evidence: ObjectEvidence;
  readonly labelHint: KeyHint | undefined;
}

function* factsOf({ names, size, entry }: Entries, place: Place): Generator<undefined, ObjectFacts> {
  const evidence = noEvidence();
  let labelHint: KeyHint | undefined;
  for (let at = 0; at < Math.min(size, names.length); at++) {
    if (at % PART_ITEMS === PART_ITEMS - 1) yield undefined;
    const name = names[at] ?? '';
    const facts = keyFacts(name);
    const value = facts.isEvidence || facts.typeLabel ? cellValue(entry(at)) : undefined;
    if (facts.isEvidence) addEntry(evidence, facts, typeof value === 'string' ? value : undefined);
    labelHint ??= labelHintOf(name, value);
  }
  return { place, evidence, labelHint };
}

function openEntries(
  { names, size, entry, part }: Entries,
  { place, evidence, labelHint }: ObjectFacts,
  path: readonly (string | number)[],
): Opened {
  let index = 0;
  return {
    next() {
      if (index >= size) return undefined;
      const at = index++;
      const name = names[at] ?? '';
      const child = entry(at);
      return { node: child, place: cellPlace(place, name, child, evidence, labelHint), path: [...path, part(at)] };
    },
  };
}

/** Returns the facts about the value of a key. The object decides about keys such as `name`. */
function cellPlace(
  parent: Place,
  key: string,
  value: unknown,
  evidence: ObjectEvidence,
  labelHint?: KeyHint | undefined,
): Place {
  const own = labelHint ? inside(parent, key, labelHint) : placeOf(parent, key);
  if (own.hint !== 'BARE_NAME') return own;
  const text = cellValue(value);
  const named = typeof text === 'string' && isNameOf(text, keyFacts(key), parent.inside, evidence);
  return { ...own, hint: named ? 'NAME' : undefined };
}

/** Returns the facts of a key, once for all objects of a list. */
function placeOf(parent: Place, key: string): Place {
  const known = parent.children.get(key);
  if (known) return known;
  const place = inside(parent, key, undefined);
  if (parent.children.size < MAX_CACHED_KEYS) parent.children.set(key, place);
  return place;
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
  else if (hint === 'SECRET' && parent.paging && PAGE_TOKEN.test(key)) hint = 'CURSOR';
  const facts = keyFacts(key);
  const inherits = own === 'NEUTRAL';
  return {
    key,
    hint,
    inside: facts.inside === 0 && inherits ? parent.inside : facts.inside,
    paging: facts.paging || (inherits && parent.paging),
    schema,
    columns: columnsOfEntry(key, parent.columns),
    children: new Map(),
  };
}

function leafOf({ key, hint }: Place): Leaf {
  return { hint: hint === 'NEUTRAL' ? undefined : hint, id: keyFacts(key).id, place: key === '' ? 'text' : 'value' };
}

/** Returns the facts of a key that may be a value itself, by its parent key: `{phones: {"+1 …": …}}`. */
function leafOfKey(name: string, above: KeyHint | undefined): Leaf {
  if (name.includes('@')) return { hint: 'OTHER', id: true };
  return { hint: keyedHint(above), place: 'value' };
}

/** Returns the type that an entry such as `"type": "phone"` indicates for the other entries. */
function labelHintOf(name: string, label: unknown): KeyHint | undefined {
  return typeof label === 'string' && label.length < 64 && keyFacts(name).typeLabel ? typeLabelHint(label) : undefined;
}

function subschema(schema: SchemaHint | undefined, name: 'properties' | 'items'): SchemaHint | undefined {
  const part = schema?.[name];
  return typeof part === 'object' && part !== null ? (part as SchemaHint) : undefined;
}
