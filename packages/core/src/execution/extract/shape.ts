import { isObject } from '@toolwright/connectors/internal';
import { compileArguments, type SchemaProblem } from '../../config/policy/argument-schema.ts';
import { TEXT_FORMATS } from '../../config/policy/schema.ts';
import { startEvaluation } from '../../config/policy/verdict.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ValueType } from './formats.ts';

/** The declared shape of extracted data. */
export type Shape = ValueShape | ObjectShape | ListShape;

/** A text, number or truth value. */
export interface ValueShape {
  readonly kind: 'value';
  readonly type: ValueType;
  readonly choices?: readonly unknown[] | undefined;
  readonly pattern?: string | undefined;
  /** Returns whether a value has the type, and keeps the bounds of the schema. */
  readonly fits: (value: unknown) => boolean;
}

export interface ObjectShape {
  readonly kind: 'object';
  readonly properties: readonly Property[];
  readonly fits: (value: unknown) => boolean;
}

export interface ListShape {
  readonly kind: 'list';
  readonly items: Shape;
  readonly fits: (value: unknown) => boolean;
}

/** A property of an object. */
export interface Property {
  readonly name: string;
  /** The labels of its value in a text, as {@link labelOf} writes them. */
  readonly labels: readonly string[];
  readonly shape: Shape;
  readonly isRequired: boolean;
}

const MAX_DEPTH = 6;
const MAX_PROPERTIES = 100;
/** Characters of a text without a bound of its own. */
const MAX_TEXT = 200;
const FORMATS: ReadonlySet<string> = new Set(['date', 'date-time', 'email', 'uri']);
const NAMES_OF_FORMATS = [...FORMATS].join(', ');
const EXACT: Readonly<Partial<Record<ValueType, RegExp>>> = { ...TEXT_FORMATS, uri: /^[a-z][a-z0-9+.-]*:\S+$/i };

/** Reads a JSON Schema of `extract`. Raises `INVALID_ARGUMENTS` with the keyword that it does not know. */
export function readShape(schema: unknown): Shape {
  return shapeOf(schema, [], { left: MAX_PROPERTIES });
}

/** Returns a label in the form that is compared: letters and digits. */
export function labelOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function shapeOf(schema: unknown, path: readonly string[], count: { left: number }): Shape {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw wrong(path, 'expected a JSON Schema');
  if (path.length > MAX_DEPTH * 2) throw wrong(path, `it is nested more than ${MAX_DEPTH} levels deep`);
  const { type: types, format, properties, required, items, enum: choices, pattern, ...others } = schema as Schema;
  // A value that may be null is one that the text may lack.
  const [type, ...more] = [types].flat().filter((each) => each !== 'null');
  if (more.length > 0) throw wrong(path, 'a value has one type, besides null');
  const names = new Set<unknown>([required ?? []].flat());
  const test = testOf({ ...others, enum: choices, pattern, required: names.size === 0 ? undefined : required }, path);
  if (type === 'object' || properties !== undefined) {
    const shown = Object.entries(Object(properties));
    count.left -= shown.length;
    if (shown.length === 0 || count.left < 0) throw wrong(path, `expected 1 to ${MAX_PROPERTIES} properties in all`);
    const read = shown.map(([name, inner]): Property => {
      const labels = [name, Object(inner).title].filter((each) => typeof each === 'string').map(labelOf);
      const shape = shapeOf(inner, [...path, 'properties', name], count);
      return { name, labels, shape, isRequired: names.has(name) };
    });
    const known = new Map(read.map(({ name, shape }) => [name, shape]));
    const fits = (value: unknown) =>
      isObject(value) && test(value) && Object.entries(value).every(([name, inner]) => known.get(name)?.fits(inner));
    return { kind: 'object', properties: read, fits };
  }
  if (type === 'array' || items !== undefined) {
    const of = shapeOf(items, [...path, 'items'], count);
    return { kind: 'list', items: of, fits: (value) => Array.isArray(value) && test(value) && value.every(of.fits) };
  }
  return valueShape({ ...schema, type } as Schema, path, test);
}

interface Schema {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly items?: unknown;
  readonly enum?: unknown;
  readonly pattern?: unknown;
  readonly maxLength?: unknown;
}

function valueShape(
  { type, format, enum: choices, pattern, maxLength }: Schema,
  path: readonly string[],
  test: (value: unknown) => boolean,
): ValueShape {
  if (format !== undefined && !FORMATS.has(String(format)))
    throw wrong(path, `the format must be one of ${NAMES_OF_FORMATS}`);
  const own = choices === undefined ? typeOf(type, format, path) : 'text';
  const isBounded = own !== 'text' || choices !== undefined || maxLength !== undefined;
  const fits = (value: unknown) => {
    if (choices === undefined && !hasType(own, value)) return false;
    return test(value) && (isBounded || String(value).length <= MAX_TEXT);
  };
  return { kind: 'value', type: own, choices: choices as readonly unknown[], pattern: pattern as string, fits };
}

function typeOf(type: unknown, format: unknown, path: readonly string[]): ValueType {
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  if (type !== undefined && type !== 'string')
    throw wrong(path, 'the type must be string, number, integer, boolean, object or array');
  return format === undefined ? 'text' : (format as ValueType);
}

function hasType(type: ValueType, value: unknown): boolean {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'string' && (EXACT[type]?.test(value) ?? true);
}

/** Compiles the keywords that bound a value, each as a rule of a policy has it. */
function testOf(keywords: object, path: readonly string[]): (value: unknown) => boolean {
  const problems: SchemaProblem[] = [];
  const known = Object.entries(keywords).filter(
    ([name, operand]) => operand !== undefined && name !== 'additionalProperties',
  );
  const test = compileArguments(Object.fromEntries(known), problems);
  const [problem] = problems;
  if (problem) throw wrong([...path, ...problem.path], problem.text);
  return (value) => test(value, startEvaluation()) !== false;
}

function wrong(path: readonly string[], problem: string): ToolwrightError {
  const place = path.length === 0 ? '' : ` at ${path.join('.').slice(0, 200)}`;
  return new ToolwrightError('INVALID_ARGUMENTS', `The schema of extract is wrong${place}: ${problem}.`);
}
