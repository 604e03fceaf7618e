import { type JsonSchema, resultSchema, type Tool } from '@toolwright/connectors';
import { readSchema } from '../schema/read-schema.ts';
import type { Bound, Shape, TypeName } from '../schema/shape.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import { findProblems } from './problems.ts';

/**
 * Returns a result that a tool could return, by its declared or observed type: the same one each time. Without a type, and for a type
 * without a known value, it is an empty object.
 */
export function inventResult(tool: Tool): unknown {
  const result = results.has(tool) ? results.get(tool) : inventFor(resultSchema(tool));
  results.set(tool, result);
  return result;
}

const results = new WeakMap<Tool, unknown>();

function inventFor(schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return {};
  const shape = readSchema(schema);
  for (const size of ['full', 'minimal'] as const) {
    const value = sampleOf(shape, size, fits);
    if (value !== undefined && fits(shape, value)) return value;
  }
  return {};
}

function fits(shape: Shape, value: unknown): boolean {
  return findProblems(shape, value, TYPESCRIPT_WRITER.types)?.length === 0;
}

/** How much a sample contains: all properties and an element in each list, or the required parts alone. */
export type SampleSize = 'full' | 'minimal';

/** Maximum parts of one sample. Definitions that refer to each other can multiply exponentially. */
const MAX_PARTS = 1_000;
/** Maximum values that are checked for one sample. A check can take some milliseconds. */
const MAX_CHECKS = 20;
/** Optional parts below this depth are left out. */
const MAX_DEPTH = 6;
/** Longest text and list of a sample. */
const MAX_LENGTH = 1_000;
/** Alternatives that are tried. */
const MAX_BRANCHES = 20;
const TEXT = 'text';
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2000-01-01T00:00:00Z',
  date: '2000-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

interface Sampling {
  readonly size: SampleSize;
  /** Returns whether a value fits a shape. */
  readonly fits: (shape: Shape, value: unknown) => boolean;
  parts: number;
  checks: number;
}

/** Thrown for a shape without a sample. */
class NoSample extends Error {}

/**
 * Returns a value of a shape, the same one each time. `fits` checks values where the shape has alternatives. Returns undefined if it
 * finds none. Ignores `pattern`, and the keywords that a shape does not have.
 */
export function sampleOf(shape: Shape, size: SampleSize, fits: Sampling['fits']): unknown {
  try {
    return sample(shape, { size, fits, parts: MAX_PARTS, checks: MAX_CHECKS }, 0);
  } catch (error) {
    // A RangeError is a stack overflow: a shape that refers to itself.
    if (error instanceof NoSample || error instanceof RangeError) return undefined;
    throw error;
  }
}

function sample(shape: Shape, sampling: Sampling, depth: number): unknown {
  if (--sampling.parts < 0) throw new NoSample();
  const parts = partsOf(shape);
  const branches = parts.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf]).filter((list) => list !== undefined);
  if (branches.length === 0) return merged(parts, sampling, depth);
  const tries = Math.min(MAX_BRANCHES, Math.max(...branches.map(({ length }) => length)));
  for (let index = 0; index < tries; index++) {
    const chosen = branches.flatMap((list) => list[index % list.length] ?? []);
    const rest = parts.map(({ anyOf: _anyOf, oneOf: _oneOf, ...part }) => part);
    const value = attempt(() => sample({ allOf: [...rest, ...chosen] }, sampling, depth));
    if (value !== undefined && check(shape, value, sampling)) return value;
  }
  throw new NoSample();
}

function check(shape: Shape, value: unknown, sampling: Sampling): boolean {
  if (--sampling.checks < 0) throw new NoSample();
  return sampling.fits(shape, value);
}

/** Returns the shapes that a value must fit together: the shape, its references and its `allOf`. */
function partsOf(shape: Shape): Shape[] {
  const found = new Set<Shape>([shape]);
  for (const part of found) {
    if (found.size > MAX_BRANCHES) throw new NoSample();
    for (const next of part.allOf ?? []) found.add(next);
    if (part.ref) found.add(part.ref.shape);
  }
  return [...found].map(({ allOf: _allOf, ref: _ref, ...part }) => part);
}

function merged(parts: readonly Shape[], sampling: Sampling, depth: number): unknown {
  if (parts.some(({ never }) => never)) throw new NoSample();
  const whole = { allOf: parts };
  const known = parts.flatMap(({ fallback, values = [] }) => [...(fallback ?? []), ...values]);
  if (known.length > 0) {
    const value = known.slice(0, MAX_BRANCHES).find((each) => check(whole, each, sampling));
    if (value !== undefined) return value;
  }
  switch (typeIn(parts)) {
    case 'string':
      return textOf(parts);
    case 'number':
      return numberOf(parts, false);
    case 'integer':
      return numberOf(parts, true);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return listOf(parts, sampling, depth);
    default:
      return objectOf(parts, sampling, depth);
  }
}

/** Returns the type of a sample: the first one that all parts allow and that is not `null`. Unknown types are objects. */
function typeIn(parts: readonly Shape[]): TypeName {
  const lists = parts.flatMap(({ types }) => (types ? [types] : []));
  const [first, ...others] = lists;
  if (first) {
    const both = first
      .flatMap((type) => (type === 'number' && others.some((list) => list.includes('integer')) ? 'integer' : type))
      .filter((type) => others.every((list) => list.includes(type) || (type === 'integer' && list.includes('number'))));
    const type = both.find((each) => each !== 'null') ?? both[0];
    if (type === undefined) throw new NoSample();
    return type;
  }
  if (parts.some(({ items, prefix }) => items !== undefined || prefix)) return 'array';
  if (parts.some(({ properties, required }) => properties || required)) return 'object';
  const bounds = boundsOf(parts);
  if (parts.some(({ format, pattern }) => format !== undefined || pattern !== undefined)) return 'string';
  if (bounds.has('minLength') || bounds.has('maxLength')) return 'string';
  return NUMBER_BOUNDS.some((bound) => bounds.has(bound)) ? 'number' : 'object';
}

const NUMBER_BOUNDS: readonly Bound[] = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** Returns the strictest bounds of all parts. */
function boundsOf(parts: readonly Shape[]): ReadonlyMap<Bound, number> {
  const strictest = new Map<Bound, number>();
  for (const [bound, value] of parts.flatMap(({ bounds }) => [...(bounds ?? [])])) {
    const other = strictest.get(bound) ?? value;
    strictest.set(bound, bound.toLowerCase().includes('max') ? Math.min(value, other) : Math.max(value, other));
  }
  return strictest;
}

function textOf(parts: readonly Shape[]): string {
  const bounds = boundsOf(parts);
  const format = parts.map((part) => part.format ?? '').find((name) => Object.hasOwn(FORMATS, name));
  const text = (format === undefined ? undefined : FORMATS[format]) ?? TEXT;
  const least = bounds.get('minLength') ?? 0;
  if (least > MAX_LENGTH) throw new NoSample();
  return text.padEnd(least, TEXT).slice(0, bounds.get('maxLength') ?? MAX_LENGTH);
}

function numberOf(parts: readonly Shape[], isInteger: boolean): number {
  const bounds = boundsOf(parts);
  const above = bounds.get('exclusiveMinimum') ?? Number.NEGATIVE_INFINITY;
  const below = bounds.get('exclusiveMaximum') ?? Number.POSITIVE_INFINITY;
  const least = bounds.get('minimum') ?? Number.NEGATIVE_INFINITY;
  const most = bounds.get('maximum') ?? Number.POSITIVE_INFINITY;
  const holds = (value: number) =>
    value >= least && value > above && value <= most && value < below && (!isInteger || Number.isInteger(value));
  const ends = [least, above, most, below].filter(Number.isFinite);
  const step = bounds.get('multipleOf') ?? 0;
  const between = ends.length > 1 ? (Math.max(least, above) + Math.min(most, below)) / 2 : 0;
  const nearby = [1, 0, ...ends.flatMap((end) => [end, end + 1, end - 1, Math.ceil(end), Math.floor(end)]), between];
  const candidates =
    step > 0 ? nearby.flatMap((value) => [-1, 0, 1].map((more) => (Math.round(value / step) + more) * step)) : nearby;
  const found = [...(step > 0 ? [step] : []), ...candidates].find(holds);
  if (found === undefined) throw new NoSample();
  return found;
}

function listOf(parts: readonly Shape[], sampling: Sampling, depth: number): unknown[] {
  const bounds = boundsOf(parts);
  const [least, most] = [bounds.get('minItems') ?? 0, bounds.get('maxItems') ?? MAX_LENGTH];
  if (least > MAX_LENGTH) throw new NoSample();
  const prefix = Math.max(0, ...parts.map((part) => part.prefix?.length ?? 0));
  const wanted = sampling.size === 'full' && depth < MAX_DEPTH ? Math.max(1, prefix) : 0;
  const list: unknown[] = [];
  while (list.length < Math.max(least, Math.min(wanted, most))) {
    const own = parts.flatMap((part) => part.prefix?.[list.length] ?? part.items ?? []);
    const isOptional = list.length >= least;
    const value = own.includes(false)
      ? undefined
      : isOptional
        ? attempt(() => sample({ allOf: own as Shape[] }, sampling, depth + 1))
        : sample({ allOf: own as Shape[] }, sampling, depth + 1);
    if (value === undefined) {
      if (isOptional) break;
      throw new NoSample();
    }
    list.push(value);
  }
  return list;
}

function objectOf(parts: readonly Shape[], sampling: Sampling, depth: number): Record<string, unknown> {
  const required = new Set(parts.flatMap((part) => [...(part.required ?? [])]));
  const declared = parts.flatMap((part) => [...(part.properties?.keys() ?? [])]);
  const isFull = sampling.size === 'full' && depth < MAX_DEPTH;
  const entries: [string, unknown][] = [];
  for (const name of new Set([...(isFull ? declared : []), ...required])) {
    const own = parts.flatMap((part) => part.properties?.get(name) ?? (part.extra || []));
    const of = () => sample({ allOf: own }, sampling, depth + 1);
    const value = required.has(name) ? of() : attempt(of);
    if (value !== undefined) entries.push([name, value]);
  }
  const least = boundsOf(parts).get('minProperties') ?? 0;
  if (least > MAX_LENGTH) throw new NoSample();
  const extra = { allOf: parts.flatMap((part) => part.extra || []) };
  for (let count = 1; entries.length < least; count++)
    entries.push([`key${count}`, sample(extra, sampling, depth + 1)]);
  return Object.fromEntries(entries);
}

/** Returns undefined for a part without a sample. */
function attempt(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (error instanceof NoSample) return undefined;
    throw error;
  }
}
