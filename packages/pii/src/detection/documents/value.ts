import { isLeaf } from '../../json-walk.ts';
import { atOnce, type Later, PART_CHARACTERS, PART_ITEMS, type Steps } from '../../slices.ts';
import type { SchemaHint, Span } from '../detector.ts';
import { keyFacts, partOf, typeLabelHint } from '../hints/key-facts.ts';
import type { KeyHint } from '../hints/keys.ts';
import { addEntry, isNameOf, noEvidence, type ObjectEvidence } from '../hints/object-evidence.ts';
import { isNumericHint, type Leaf, scanNumber } from '../scanning/leaf.ts';
import { cellValue, columnsIn, columnsOfList } from './columns.ts';
import { inside, itemPlace, leafOfKey, namedPlace, type Place, placeOf, rootPlace, withColumns } from './place.ts';
import type { SeenTexts } from './seen-texts.ts';
import { isShapeOf, shapeSteps } from './shape.ts';
import { valueSteps } from './text.ts';

/** A string or number in a value, with its findings. */
export interface Finding {
  /** Keys and indexes from the root of the value. */
  readonly path: readonly (string | number)[];
  /** Offsets in the string. The span of a number is the whole number. */
  readonly spans: readonly Span[];
  /** The leaf itself. */
  readonly value: string | number | bigint;
  /** The number of the leaf among all texts and numbers of the value, from 0; for a key, that of the leaf after it. */
  readonly leaf: number;
  /** Set if the findings are in the last key of the path, not in its value. */
  readonly inKey?: true;
}

/** The position of a value. */
export interface ValueOptions {
  /** The tool's output schema. */
  readonly schema?: SchemaHint;
  /** The key of the value itself. */
  readonly key?: string;
  /** Findings of earlier values. */
  readonly seen?: SeenTexts;
}

/** A string, number or key of a value, with the facts of its keys and schema. Every key occurs once. */
export interface FoundLeaf {
  readonly leaf: Leaf;
  readonly value: string | number | bigint;
  /** See `Finding`. */
  readonly number: number;
  readonly inKey: boolean;
  /** Returns the path. It is valid until the next leaf. */
  readonly path: () => readonly (string | number)[];
}

const PLAIN_WORD = /^[A-Za-z_-]{0,14}$/;
/** Characters that are read between two yields; a leaf counts as some more. */
const TURN_CHARACTERS = 2_048;
const LEAF_CHARACTERS = 32;
const NO_SPANS: readonly Span[] = [];

/** Finds personal data in a JSON value by the built-in rules, in the order of its leaves. */
export function detectValue(value: unknown, options: ValueOptions = {}): Finding[] {
  const findings: Finding[] = [];
  const visit = (found: FoundLeaf) => {
    const spans = spansOf(found, options.seen);
    const all = 'next' in spans ? atOnce(spans) : spans;
    if (all.length > 0) findings.push(findingOf(found, all));
  };
  atOnce(visitLeaves(value, options, visit));
  return findings;
}

/** Returns a finding with the path of its leaf. */
export function findingOf({ path, value, number, inKey }: FoundLeaf, spans: readonly Span[]): Finding {
  return { path: path(), value, leaf: number, spans, inKey: inKey ? true : undefined };
}

/** Returns the findings of one leaf, or for a long text the steps to them. */
export function spansOf(
  { value, leaf }: { readonly value: FoundLeaf['value']; readonly leaf: Leaf },
  seen: SeenTexts | undefined,
): Later<readonly Span[]> {
  if (typeof value !== 'string') {
    const span = isNumericHint(leaf.hint) ? scanNumber(String(value), leaf.hint) : undefined;
    return span ? [span] : NO_SPANS;
  }
  if (isPlainWord(value, leaf)) return NO_SPANS;
  if (value.length > PART_CHARACTERS) return valueSteps(value, leaf);
  return seen ? seen.find(value, leaf, spansOfText) : spansOfText(value, leaf);
}

function spansOfText(text: string, leaf: Leaf): readonly Span[] {
  return atOnce(valueSteps(text, leaf));
}

/** Checks for a word without digits and signs, such as a status, with a key that indicates no type. */
function isPlainWord(text: string, { hint }: Leaf): boolean {
  return (hint === undefined || hint === 'OTHER') && PLAIN_WORD.test(text);
}

/**
 * Visits all leaves in order. Without recursion: values of any depth are read.
 * The facts of keys are read once for all objects of a list that have the same keys. The facts of values are read for each object.
 */
export function* visitLeaves(
  value: unknown,
  { schema, key = '' }: ValueOptions,
  visit: (found: FoundLeaf) => Later<void>,
): Steps {
  const open: Opened[] = [];
  const seen = new Set<string>();
  const path = () => pathOf(open);
  let number = 0;
  let characters = 0;
  let found: Placed | undefined = { node: value, place: rootPlace(key, schema) };
  do {
    characters += LEAF_CHARACTERS;
    if (found === undefined) open.pop();
    else {
      const { node, place } = found;
      if (isLeaf(node)) {
        if (typeof node === 'string') characters += node.length;
        const steps = visit({ leaf: place.leaf, value: node, number: number++, inKey: false, path });
        if (steps) yield* steps;
      } else if (Array.isArray(node)) {
        if (place.columns?.of !== 'row') open.push(openArray(node, place));
        else {
          const { names } = place.columns;
          const row = { entry: (at: number): unknown => node[at], names, part: (at: number) => at, size: node.length };
          open.push(openEntries(row, yield* factsSteps(row, place)));
        }
      } else if (typeof node === 'object' && node !== null) {
        const names = Object.keys(node);
        const isNew = place.shape === undefined || !isShapeOf(place.shape, names);
        for (let at = names.length - 1; isNew && at >= 0; at--) {
          const name = names[at] ?? '';
          if (at % PART_ITEMS === PART_ITEMS - 1) yield;
          if (seen.size === seen.add(name).size) continue;
          const keyPath = () => [...path(), name];
          const leaf = leafOfKey(name, place.hint);
          const steps = visit({ leaf, value: name, number, inKey: true, path: keyPath });
          if (steps) yield* steps;
        }
        const entry = (at: number): unknown => Reflect.get(node, names[at] ?? '');
        const entries = { entry, names, part: (at: number) => names[at] ?? '', size: names.length };
        const facts = yield* factsSteps(entries, place, node);
        open.push(openEntries(entries, facts));
      }
    }
    if (characters >= TURN_CHARACTERS) {
      characters = 0;
      yield;
    }
    found = open.at(-1)?.next();
  } while (open.length > 0);
}

/** A value with its place in the tree. */
interface Placed {
  readonly node: unknown;
  readonly place: Place;
}

/** An open list or object. `next` returns its next child; undefined at its end. */
interface Opened {
  next(): Placed | undefined;
  /** The key or index of the last child; of a cell in a list of columns, both indexes. */
  part: string | number | readonly number[];
}

function pathOf(open: readonly Opened[]): (string | number)[] {
  const path: (string | number)[] = [];
  for (const { part } of open) {
    if (typeof part === 'object') path.push(...part);
    else path.push(part);
  }
  return path;
}

/** The entries of an object, or the cells of a row with the keys of their columns. */
interface Entries {
  readonly names: readonly string[];
  readonly size: number;
  readonly entry: (at: number) => unknown;
  readonly part: (at: number) => string | number;
}

function openArray(node: readonly unknown[], place: Place): Opened {
  const columns = columnsOfList(node, place.columns);
  if (columns?.of === 'columns') return openColumns(node, columns.names, itemPlace(place, undefined));
  const rows = itemPlace(place, columns);
  let index = -1;
  return {
    part: 0,
    next() {
      index++;
      this.part = index;
      return index < node.length ? { node: node[index], place: rows } : undefined;
    },
  };
}

/** Opens a list of columns, whose first cells are the keys of the others and evidence for names. */
function openColumns(lists: readonly unknown[], names: readonly string[], place: Place): Opened {
  const evidence = noEvidence();
  for (const name of names) addEntry(evidence, keyFacts(name), undefined);
  let column = 0;
  let row = 0;
  return {
    part: 0,
    next() {
      while (row >= sizeOf(lists[column]) && column < lists.length) {
        column++;
        row = 0;
      }
      if (column >= lists.length) return undefined;
      const list = lists[column];
      if (!Array.isArray(list)) {
        this.part = column++;
        return { node: list, place };
      }
      const cell: unknown = list[row];
      const own = row === 0 ? place : cellPlace(place, names[column] ?? '', cell, evidence);
      this.part = [column, row++];
      return { node: cell, place: own };
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

/** Reads the facts of the keys, once for each shape, and those of the values. `node` is an object and no row. */
function* factsSteps(entries: Entries, place: Place, node?: object): Steps<ObjectFacts> {
  const { names, size, entry } = entries;
  if (place.shape === undefined || !isShapeOf(place.shape, names)) place.shape = yield* shapeSteps(names);
  const { shape } = place;
  const evidence = noEvidence();
  let labelHint: KeyHint | undefined;
  for (const [index, { at, facts }] of shape.evidence.entries()) {
    if (index % PART_ITEMS === PART_ITEMS - 1) yield;
    if (at >= size) break;
    const value = cellValue(entry(at));
    if (facts.isEvidence) addEntry(evidence, facts, typeof value === 'string' ? value : undefined);
    if (facts.typeLabel) labelHint ??= labelHintOf(value);
  }
  const columns = node && shape.hasColumns && !place.columns ? columnsIn(node, names) : undefined;
  return { place: columns ? withColumns(place, columns) : place, evidence, labelHint };
}

function openEntries({ names, size, entry, part }: Entries, { place, evidence, labelHint }: ObjectFacts): Opened {
  let index = 0;
  return {
    part: 0,
    next() {
      if (index >= size) return undefined;
      const at = index++;
      const name = names[at] ?? '';
      const child = entry(at);
      this.part = part(at);
      return { node: child, place: cellPlace(place, name, child, evidence, labelHint) };
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
  // The parts of a name are in it.
  if (typeof value === 'object' && value !== null && !('v' in value)) return own;
  const text = cellValue(value);
  const facts = partOf(keyFacts(key), parent.hint, parent.key);
  return namedPlace(own, typeof text === 'string' && isNameOf(text, facts, parent.inside, evidence));
}

/** Returns the type that an entry such as `"type": "phone"` indicates for the other entries. */
function labelHintOf(label: unknown): KeyHint | undefined {
  return typeof label === 'string' && label.length < 64 ? typeLabelHint(label) : undefined;
}
