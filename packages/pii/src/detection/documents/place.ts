import type { SchemaHint } from '../detector.ts';
import { keyFacts, partOf } from '../hints/key-facts.ts';
import { type KeyHint, keyedHint, keyHint } from '../hints/keys.ts';
import { schemaHint } from '../hints/schema.ts';
import type { Leaf } from '../scanning/leaf.ts';
import { type Columns, columnsOfEntry } from './columns.ts';
import type { Shape } from './shape.ts';

/** The facts about the leaves at a place of the tree. */
interface PlaceFacts {
  readonly key: string;
  readonly hint: KeyHint | undefined;
  /** The evidence for a person or a thing by the key of this value. */
  readonly inside: number;
  /** It describes a page of a list: a `token` in it is no secret. */
  readonly paging: boolean;
  readonly schema: SchemaHint | undefined;
  /** The columns of a table in this value. */
  readonly columns: Columns | undefined;
}

/** A place of the tree. */
export interface Place extends PlaceFacts {
  /** The facts for a text or number here. */
  readonly leaf: Leaf;
  /** The facts of its children by key: objects of a list have the same keys. */
  readonly children: Map<string, Place>;
  /** This place with a `name` that is the name of a person, and with another one. */
  readonly named: [person: Place | undefined, other: Place | undefined];
  /** The shape of the last object here. */
  shape: Shape | undefined;
}

const PAGE_TOKEN = /^token$/i;
const MAX_CACHED_KEYS = 1_000;
const KEY_WITH_AT: Leaf = { hint: 'OTHER', id: true };
/** The leaves of each hint: without and with an id, as a text and as a value. */
const leaves = new Map<KeyHint | undefined, (Leaf | undefined)[]>();

/** Returns the place of a whole value. */
export function rootPlace(key: string, schema: SchemaHint | undefined): Place {
  const { inside, paging } = keyFacts(key);
  return newPlace({ key, hint: schemaHint(schema) ?? keyHint(key), inside, paging, schema, columns: undefined });
}

/** Returns the place of the items of a list. */
export function itemPlace(list: Place, columns: Columns | undefined): Place {
  return newPlace({ ...list, schema: subschema(list.schema, 'items'), columns });
}

/** Returns the place of an object with a table. Another table at the same place may have other columns. */
export function withColumns(place: Place, columns: Columns): Place {
  return { ...newPlace({ ...place, columns }), shape: place.shape };
}

/** Returns the place of a `name`, which is the name of a person or not. */
export function namedPlace(place: Place, isPerson: boolean): Place {
  const at = isPerson ? 0 : 1;
  const known = place.named[at] ?? newPlace({ ...place, hint: isPerson ? 'NAME' : undefined });
  place.named[at] = known;
  return known;
}

/** Returns the facts of a key, once for all objects of a list. */
export function placeOf(parent: Place, key: string): Place {
  const known = parent.children.get(key);
  if (known) return known;
  const place = inside(parent, key, undefined);
  if (parent.children.size < MAX_CACHED_KEYS) parent.children.set(key, place);
  return place;
}

/** Returns the facts that the key of an object indicates for its value. */
export function inside(parent: Place, key: string, labelHint: KeyHint | undefined): Place {
  const properties = subschema(parent.schema, 'properties') as Record<string, unknown> | undefined;
  const schema =
    properties !== undefined && Object.hasOwn(properties, key) ? (properties[key] as SchemaHint) : undefined;
  const facts = partOf(keyFacts(key), parent.hint, parent.key);
  const own = facts.hint;
  let hint = schemaHint(schema) ?? own;
  if (hint === 'NEUTRAL') hint = labelHint ?? (parent.hint === undefined ? 'NEUTRAL' : parent.hint);
  else if (hint === 'ADDRESS_PART') hint = parent.hint === 'ADDRESS' ? 'ADDRESS_PART' : 'OTHER';
  else if (hint === 'SECRET' && parent.paging && PAGE_TOKEN.test(key)) hint = 'CURSOR';
  const inherits = own === 'NEUTRAL';
  return newPlace({
    key,
    hint,
    inside: facts.inside === 0 && inherits ? parent.inside : facts.inside,
    paging: facts.paging || (inherits && parent.paging),
    schema,
    columns: columnsOfEntry(key, parent.columns),
  });
}

/** Returns the facts of a key that may be a value itself, by its parent key: `{phones: {"+1 …": …}}`. */
export function leafOfKey(name: string, above: KeyHint | undefined): Leaf {
  return name.includes('@') ? KEY_WITH_AT : leafOf(keyedHint(above), false, 'value');
}

function newPlace({ key, hint, inside, paging, schema, columns }: PlaceFacts): Place {
  const leaf = leafOf(hint === 'NEUTRAL' ? undefined : hint, keyFacts(key).id, key === '' ? 'text' : 'value');
  const children = new Map<string, Place>();
  return {
    key,
    hint,
    inside,
    paging,
    schema,
    columns,
    leaf,
    children,
    named: [undefined, undefined],
    shape: undefined,
  };
}

/** Returns the same object for the same facts. */
export function leafOf(hint: KeyHint | undefined, id: boolean, place: 'text' | 'value'): Leaf {
  const known = leaves.get(hint) ?? [];
  const at = (id ? 1 : 0) + (place === 'text' ? 2 : 0);
  const leaf = known[at] ?? { hint, id, place };
  known[at] = leaf;
  leaves.set(hint, known);
  return leaf;
}

function subschema(schema: SchemaHint | undefined, name: 'properties' | 'items'): SchemaHint | undefined {
  const part = schema?.[name];
  return typeof part === 'object' && part !== null ? (part as SchemaHint) : undefined;
}
