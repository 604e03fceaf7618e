import { isObject } from '@toolwright/connectors/internal';
import { linearPattern } from '@toolwright/pii/internal';
import { messageOf } from '../../errors.ts';
import { nearestKey } from '../problems.ts';
import {
  hasCharacters,
  isAnything,
  isList,
  isNumber,
  isSameJson,
  isText,
  JSON_TYPES,
  type JsonObject,
  lengthOf,
  own,
} from './json.ts';
import { all, every, exactlyOne, measured, not, present, silent, some, type Test, when } from './verdict.ts';

/** A mistake in a schema, with its path. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly text: string;
}

/** Keywords that only describe. */
const NOTES: ReadonlySet<string> = new Set(['$schema', '$comment', 'title', 'description']);
const MAX_SCHEMA_DEPTH = 40;

/** The place of a keyword in its schema. */
interface Place {
  /** Path of the keyword, `properties.to.pattern`. */
  readonly path: string;
  /** All keywords of the same schema. */
  readonly siblings: Readonly<Record<string, unknown>>;
  /** Compiles a schema inside of the keyword. */
  readonly part: (schema: unknown, ...steps: readonly string[]) => Test;
}

/** Compiles the operand of a keyword. Raises an error whose message names the expected operand. */
type Keyword = (operand: unknown, place: Place) => Test;

/** The keywords of a rule's schema, by name. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type(operand, { path }) {
    const names = isText(operand) ? [operand] : listOf(operand, isText, 'a type, or a list of types');
    const tests = names.map((name) => JSON_TYPES.get(name) ?? fail(`a type: ${[...JSON_TYPES.keys()].join(', ')}`));
    return measured(
      path,
      present((value) => tests.some((test) => test(value))),
    );
  },
  const(operand, { path }) {
    const wanted = exactOf(operand);
    return measured(
      path,
      present((value) => isSameJson(value, wanted)),
    );
  },
  enum(operand, { path }) {
    const values = listOf(operand, isAnything, 'a list of values').map(exactOf);
    return measured(
      path,
      present((value) => values.some((allowed) => isSameJson(value, allowed))),
    );
  },
  pattern(operand, { path }) {
    const pattern = linearPattern(isText(operand) ? operand : fail('a regular expression'));
    return measured(
      path,
      when(isText, (text) => pattern.test(text)),
      lengthOf,
    );
  },
  minLength: bound(isText, (text, limit) => hasCharacters(text, limit)),
  maxLength: bound(isText, (text, limit) => !hasCharacters(text, limit + 1)),
  minimum: bound(isNumber, (number, limit) => number >= limit),
  maximum: bound(isNumber, (number, limit) => number <= limit),
  exclusiveMinimum: bound(isNumber, (number, limit) => number > limit),
  exclusiveMaximum: bound(isNumber, (number, limit) => number < limit),
  minItems: bound(isList, (items, limit) => items.length >= limit),
  maxItems: bound(isList, (items, limit) => items.length <= limit),
  required(operand, { path }) {
    const names = listOf(operand, isText, 'a list of names');
    return measured(
      path,
      when(isObject, (value) => names.every((name) => Object.hasOwn(value, name))),
    );
  },
  properties(operand, { path, part }) {
    const tests = Object.entries(objectOf(operand)).map(([name, schema]): Test => {
      const test = part(schema, name);
      return (value, run) => test(own(value as JsonObject, name), run);
    });
    return measured(path, when(isObject, all(tests)));
  },
  additionalProperties(operand, { path, siblings, part }) {
    const known = new Set(isObject(siblings.properties) ? Object.keys(siblings.properties) : []);
    const test = measured(path, part(operand));
    const others: Test = when(isObject, (value, run) => {
      const names = Object.keys(value);
      run.left -= names.length;
      return every(names, (name) => known.has(name) || test(value[name], run));
    });
    return measured(path, others);
  },
  items(operand, { path, part }) {
    const test = part(operand);
    return measured(
      path,
      when(isList, (items, run) => every(items, (item) => test(item, run))),
    );
  },
  contains(operand, { path, part }) {
    const test = part(operand);
    return measured(path, silent(when(isList, (items, run) => some(items, (item) => test(item, run)))));
  },
  allOf: (operand, { part }) => all(partsOf(operand, part)),
  anyOf: (operand, place) => silenced(place, combine(operand, place, some)),
  oneOf: (operand, place) => silenced(place, combine(operand, place, exactlyOne)),
  not(operand, place) {
    const test = place.part(operand);
    return silenced(place, (value, run) => not(test(value, run)));
  },
};

/**
 * Compiles a JSON Schema (2020-12) over the arguments of a call to a test with three results; see {@link Verdict}. Adds every
 * mistake to `problems`. It is strict, because a rule that ignored a keyword would let calls through: unknown keywords, `$ref`,
 * `if` and `format` are mistakes.
 */
export function compileArguments(schema: unknown, problems: SchemaProblem[]): Test {
  return compile(schema, [], problems);
}

function compile(schema: unknown, path: readonly string[], problems: SchemaProblem[]): Test {
  const problem = (text: string, at = path) => {
    problems.push({ path: at, text });
    return never;
  };
  if (typeof schema === 'boolean') return () => schema;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return problem('expected a JSON Schema, which is an object, true or false');
  }
  if (path.length > MAX_SCHEMA_DEPTH) return problem(`a schema is nested at most ${MAX_SCHEMA_DEPTH} levels deep`);
  const tests = Object.entries(schema).flatMap(([name, operand]) => {
    if (NOTES.has(name)) return [];
    const at = [...path, name];
    const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
    if (keyword === undefined) return [problem(unknownKeyword(name), at)];
    const part = (inner: unknown, ...steps: readonly string[]) => compile(inner, [...at, ...steps], problems);
    try {
      return [keyword(operand, { path: at.join('.'), part, siblings: schema as Readonly<Record<string, unknown>> })];
    } catch (error) {
      return [problem(messageOf(error), at)];
    }
  });
  return all(tests);
}

function never(): false {
  return false;
}

function unknownKeyword(name: string): string {
  const known = Object.keys(KEYWORDS);
  const near = nearestKey(name, known);
  const hint = near === undefined ? `A rule knows: ${known.join(', ')}` : `Did you mean "${near}"?`;
  return `a rule does not know the keyword "${name}". ${hint}`;
}

function combine(operand: unknown, { part }: Place, combined: typeof every): Test {
  const tests = partsOf(operand, part);
  return (value, run) => combined(tests, (test) => test(value, run));
}

function partsOf(operand: unknown, part: Place['part']): readonly Test[] {
  return listOf(operand, isAnything, 'a list of schemas').map((schema, index) => part(schema, `${index}`));
}

function silenced({ path }: Place, test: Test): Test {
  return measured(path, silent(test));
}

function bound<T>(is: (value: unknown) => value is T, holds: (value: T, limit: number) => boolean): Keyword {
  return (operand, { path }) => {
    const limit = typeof operand === 'number' ? operand : fail('a number');
    return measured(
      path,
      when(is, (value) => holds(value, limit)),
      lengthOf,
    );
  };
}

/** Returns a value that an argument is compared with. JSON loses digits of large whole numbers. */
function exactOf(operand: unknown): unknown {
  const isLarge = Number.isInteger(operand) && !Number.isSafeInteger(operand);
  return isLarge ? fail('a number whose digits are exact: write one beyond 2^53 as text') : operand;
}

function objectOf(operand: unknown): Readonly<Record<string, unknown>> {
  return isObject(operand) ? operand : fail('an object');
}

function listOf<T>(operand: unknown, is: (value: unknown) => value is T, what: string): readonly T[] {
  return isList(operand) && operand.length > 0 && operand.every(is) ? operand : fail(what);
}

function fail(expected: string): never {
  throw new TypeError(`expected ${expected}`);
}
