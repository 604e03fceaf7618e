import { isGroup, isProperty, type NodeProperty } from '../catalogs/description.ts';
import { isObject, type JsonObject } from '../json.ts';
import { isShown, type Shown } from './display.ts';

/** The owner of the parameters: a node, or a collection in it. */
interface Place {
  readonly node: Shown;
  readonly root: JsonObject | undefined;
  readonly inCollection: boolean;
}

/** Raised for a value whose shape crashes n8n's own checks; `path` starts at the parameters. */
export class ShapeError extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Returns the parameters that n8n checks: the shown ones, with defaults for missing values. Raises {@link ShapeError} for
 * values that crash n8n.
 */
export function withDefaults(
  properties: readonly NodeProperty[],
  values: JsonObject,
  node: Shown,
): Record<string, unknown> {
  return fill(properties, values, { node, root: undefined, inCollection: false });
}

function fill(properties: readonly NodeProperty[], values: unknown, place: Place): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  if (!values) return filled;
  const given = values as JsonObject;
  const simple = simpleValues(properties, given, place);
  const root = place.root ?? simple;
  for (const property of resolveOrder(properties)) {
    if (given[property.name] === undefined && place.inCollection) continue;
    if (!isShown(property, simple, root, place.node)) continue;
    const inner: Place = { node: place.node, root, inCollection: property.type === 'collection' };
    if (property.type === 'collection') filled[property.name] = fillCollection(property, given[property.name], inner);
    else if (property.type === 'fixedCollection')
      filled[property.name] = fillGroups(property, given[property.name], inner);
    else filled[property.name] = simpleValue(property, given[property.name]);
  }
  return filled;
}

/** Returns the values that display rules read: all but collections. Of several parameters with one name, the shown one counts. */
function simpleValues(properties: readonly NodeProperty[], given: JsonObject, place: Place): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const repeated = repeatedNames(properties);
  for (const property of resolveOrder(properties)) {
    const { name, type } = property;
    if (type === 'collection' || type === 'fixedCollection') continue;
    if (given[name] === undefined && place.inCollection) continue;
    if (repeated.has(name) && !isShown(property, values, place.root ?? values, place.node)) continue;
    values[name] = simpleValue(property, given[name]);
  }
  return values;
}

function simpleValue(property: NodeProperty, given: unknown): unknown {
  // `null` is a value for these types; elsewhere it means a missing value.
  if (['boolean', 'number', 'options'].includes(property.type)) return given === undefined ? property.default : given;
  if (property.type === 'resourceLocator' && isObject(property.default)) {
    return given === undefined ? { __rl: true, ...property.default } : given;
  }
  return given ?? property.default;
}

function fillCollection(property: NodeProperty, given: unknown, place: Place): unknown {
  if (property.typeOptions?.multipleValues === true) {
    return given ?? (Array.isArray(property.default) ? property.default : []);
  }
  if (given === undefined) return property.default;
  return fill(property.options?.filter(isProperty) ?? [], given, place);
}

function fillGroups(property: NodeProperty, given: unknown, place: Place): unknown {
  const values = given === undefined ? property.default : given;
  const filled: Record<string, unknown> = {};
  const isMultiple = property.typeOptions?.multipleValues === true;
  for (const [name, value] of Object.entries(values ?? {})) {
    const group = property.options?.filter(isGroup).find((option) => option.name === name);
    if (isMultiple) {
      if (!isObject(values)) continue;
      filled[name] = elements(value, `${property.name}.${name}`).map((element) => {
        if (group === undefined) throw unknownGroup(property, name);
        return fill(group.values, element, place);
      });
    } else if (group !== undefined) {
      const single = fill(group.values, given === undefined ? undefined : value, place);
      if (Object.keys(single).length > 0) filled[name] = single;
    }
  }
  return filled;
}

function elements(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  throw new ShapeError(path, `expected a list, got ${value === null ? 'null' : typeof value}`);
}

function unknownGroup(property: NodeProperty, name: string): ShapeError {
  const known = property.options?.filter(isGroup).map((group) => group.name) ?? [];
  return new ShapeError(
    `${property.name}.${name}`,
    `${property.name} has no "${name}"; its keys are: ${known.join(', ')}`,
  );
}

const orders = new WeakMap<readonly NodeProperty[], readonly NodeProperty[]>();

/** Orders parameters after those that decide whether they are shown. Later ones are visited twice. */
function resolveOrder(properties: readonly NodeProperty[]): readonly NodeProperty[] {
  const known = orders.get(properties);
  if (known) return known;
  const seen = new Set<string>();
  const again: NodeProperty[] = [];
  for (const property of properties) {
    const { show = {}, hide = {} } = property.displayOptions ?? {};
    const needed = [...Object.keys(show), ...Object.keys(hide)].filter((name) => !/^[@/]/.test(name));
    if (needed.some((name) => !seen.has(name))) again.push(property);
    seen.add(property.name);
  }
  const order = again.length === 0 ? properties : [...properties, ...again];
  orders.set(properties, order);
  return order;
}

const repeats = new WeakMap<readonly NodeProperty[], ReadonlySet<string>>();

function repeatedNames(properties: readonly NodeProperty[]): ReadonlySet<string> {
  const known = repeats.get(properties);
  if (known) return known;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name } of properties) {
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  repeats.set(properties, repeated);
  return repeated;
}
