import { isDeepStrictEqual } from 'node:util';
import { isObject, type Problem, propertyPath, roughTokens, shorten } from '@toolwright/connectors/internal';
import { isFieldName } from '../inferred-types/field-names.ts';
import { suggest } from '../names/suggest.ts';
import type { Shape, TypeName } from '../schema/shape.ts';
import { objectView, type TypeSyntax, typeOf } from '../signatures/types.ts';
import { checkBounds, numberIn } from './bounds.ts';
import { formatProblem } from './formats.ts';

/** Maximum steps of one validation. Recursive schemas with alternatives can need exponentially many. */
const MAX_STEPS = 50_000;
/** Branches that are searched for names; beyond it any name is allowed. */
const MAX_BRANCHES = 1_000;
/** Names of an object that take as long as one step. */
const NAMES_PER_STEP = 8;
const SHOWN_TOKENS = 12;
const LONGEST_SUGGESTED = 200;

/** A message is written for the listed problems only: a suggestion takes as long as a thousand checks. */
type Report = (path: string, message: () => string) => void;

/** The state of one validation: the remaining steps, and the language of its messages. */
interface Validation {
  steps: number;
  readonly syntax: TypeSyntax;
  /** Returns the form of a text or a key in messages. */
  readonly asWritten: (text: string) => string;
  /** Whether messages have types instead of values. */
  readonly hidesValues: boolean;
  /** Whether an object has no other properties than those of its shape, unless the shape allows them. */
  readonly isClosed: boolean;
}

/** How a validation differs from the default. */
export interface ValidationOptions {
  /** The form of texts and keys in messages. A text is replaced before it is shortened: a part of personal data would not be recognised. */
  readonly written?: ReadonlyMap<string, string> | undefined;
  /** Messages have types instead of values. */
  readonly hidesValues?: boolean;
  /** A property that the shape does not have is a problem, although JSON Schema allows it. */
  readonly isClosed?: boolean;
}

class TooManySteps extends Error {}

/**
 * Returns all problems of a value under a shape, in the order of the schema; undefined when the validation takes too many
 * steps. Ignores keywords that a shape does not contain (`not`, `if`, `pattern`, `format`, `uniqueItems`, …). Never throws.
 * Messages use the types of `syntax`.
 */
export function findProblems(
  shape: Shape,
  value: unknown,
  syntax: TypeSyntax,
  { written, hidesValues = false, isClosed = false }: ValidationOptions = {},
): Problem[] | undefined {
  const asWritten = (text: string) => {
    if (hidesValues) return isFieldName(text) ? text : '…';
    return written?.get(text) ?? text;
  };
  const problems: Problem[] = [];
  try {
    check(shape, value, '', { steps: MAX_STEPS, syntax, asWritten, hidesValues, isClosed }, reportTo(problems));
    return problems;
  } catch (thrown) {
    // A RangeError is a stack overflow: a reference to itself, or deeply nested arguments.
    if (thrown instanceof TooManySteps || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function reportTo(problems: Problem[]): Report {
  return (path, message) =>
    problems.push({
      path,
      get message() {
        return message();
      },
    });
}

function check(shape: Shape, value: unknown, path: string, validation: Validation, report: Report): void {
  checkPart(shape, value, path, validation, report);
  if (!validation.isClosed || !isObject(value)) return;
  const allowed = closedNames(shape);
  if (allowed) reportUnknown([...givenOf(value).keys()], allowed, path, validation, report);
}

/** Checks a value under a shape that may be one of several for it. */
function checkPart(shape: Shape, value: unknown, path: string, validation: Validation, report: Report): void {
  if (--validation.steps < 0) throw new TooManySteps();
  const wrong = ownProblem(shape, value, validation);
  if (wrong !== undefined) {
    report(path, wrong);
    return;
  }
  checkBounds(shape, value, validation.hidesValues, (message) => report(path, message));
  if (Array.isArray(value)) checkElements(shape, value, path, validation, report);
  else if (isObject(value)) checkProperties(shape, value, path, validation, report);
  if (shape.ref) checkPart(shape.ref.shape, value, path, validation, report);
  for (const branch of shape.allOf ?? []) checkPart(branch, value, path, validation, report);
  if (shape.anyOf) checkBranches(shape.anyOf, false, value, path, validation, report);
  if (shape.oneOf) checkBranches(shape.oneOf, true, value, path, validation, report);
}

/** Returns the problem of the value itself, without its elements and properties. */
function ownProblem(shape: Shape, value: unknown, validation: Validation): (() => string) | undefined {
  if (shape.never) return () => 'not allowed';
  const { types, values } = shape;
  if (types && !types.some((type) => isOfType(value, type))) {
    return () => `expected ${typeText({ types }, validation.syntax)}, got ${shown(value, validation)}`;
  }
  if (values && !isAllowed(value, values)) {
    return () =>
      `expected ${typeText(shape, validation.syntax)}, got ${shown(value, validation)}${validation.hidesValues ? '' : suggestion(value, values)}`;
  }
  const expected = formatProblem(shape.format, value);
  if (expected === undefined) return undefined;
  // A hidden text that lacks its format is only "string".
  return () => `expected ${expected}${validation.hidesValues ? '' : `, got ${shown(value, validation)}`}`;
}

/** The allowed values of shapes. A list may have thousands, for each of thousands of elements. */
const allowedValues = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

function isAllowed(value: unknown, values: readonly unknown[]): boolean {
  const known = allowedValues.get(values) ?? new Set(values);
  allowedValues.set(values, known);
  // A list of values has digits beyond ±(2⁵³-1) as text, or without their end. Then the server decides.
  if (typeof value === 'bigint') return known.has(String(value)) || known.has(Number(value));
  if (typeof value !== 'object' || value === null) return known.has(value);
  return values.some((allowed) => isDeepStrictEqual(allowed, value));
}

function checkProperties(shape: Shape, value: object, path: string, validation: Validation, report: Report): void {
  const given = givenOf(value);
  // The names of a wide object take time, too.
  validation.steps -= Math.floor(given.size / NAMES_PER_STEP);
  const known = shape.properties ?? new Map<string, Shape>();
  const unknown = [...given.keys()].filter((name) => !known.has(name));
  for (const name of shape.required ?? []) {
    if (given.has(name)) continue;
    const property = known.get(name);
    report(propertyPath(path, name), () => {
      const type = property ? ` (${typeText(property, validation.syntax)})` : '';
      const [similar] = suggest(name, unknown.slice(0, LONGEST_SUGGESTED), 1);
      return `missing${type}${similar === undefined ? '' : `, misspelled as "${validation.asWritten(similar)}"?`}`;
    });
  }
  for (const [name, property] of known) {
    if (given.has(name)) check(property, given.get(name), propertyPath(path, name), validation, report);
  }
  if (shape.patterned || shape.extra === undefined) return;
  const allowed = shape.extra === false ? namedAnywhere(shape) : undefined;
  for (const name of unknown) {
    if (shape.extra)
      check(shape.extra, given.get(name), propertyPath(path, validation.asWritten(name)), validation, report);
    else if (allowed) reportUnknown([name], allowed, path, validation, report);
  }
}

function givenOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, held]) => held !== undefined));
}

function reportUnknown(
  names: readonly string[],
  allowed: ReadonlySet<string>,
  path: string,
  { asWritten }: Validation,
  report: Report,
): void {
  for (const name of names) {
    if (allowed.has(name)) continue;
    report(propertyPath(path, asWritten(name)), () => {
      const [similar] = suggest(name, [...allowed].slice(0, LONGEST_SUGGESTED), 1);
      return `unknown${similar === undefined ? '' : `, did you mean "${similar}"?`}`;
    });
  }
}

/** Returns the names of a shape that neither allows nor forbids others; undefined for any other shape, and for one without names. */
function closedNames(shape: Shape): ReadonlySet<string> | undefined {
  const known = closed.get(shape);
  if (known) return known.names;
  const names = readClosedNames(shape);
  closed.set(shape, { names });
  return names;
}

const closed = new WeakMap<Shape, { readonly names: ReadonlySet<string> | undefined }>();

function readClosedNames(shape: Shape): ReadonlySet<string> | undefined {
  if (shape.patterned || shape.extra !== undefined || shape.allowsMore) return undefined;
  const names = namedAnywhere(shape, (part) => part.extra === false || (!shape.properties && isAnyObject(part)));
  return names && names.size > 0 ? names : undefined;
}

/** Returns whether a shape allows objects with any properties. */
function isAnyObject({ types, values, properties, ref, allOf, anyOf, oneOf, never }: Shape): boolean {
  if (never || values || properties || ref || allOf || anyOf || oneOf) return false;
  return types === undefined || types.includes('object');
}

/**
 * Returns the names that a shape or one of its branches and references has, or undefined if one of them allows any name.
 * `additionalProperties: false` next to `allOf` or `anyOf` is mostly meant as `unevaluatedProperties: false`. A branch that is `excluded`
 * gives no names either.
 */
function namedAnywhere(shape: Shape, excluded: (part: Shape) => boolean = () => false): Set<string> | undefined {
  const names = new Set<string>();
  const seen = new Set([shape]);
  for (const part of seen) {
    if (seen.size > MAX_BRANCHES) return undefined;
    if (part !== shape && (part.patterned || part.extra || part.allowsMore || excluded(part))) return undefined;
    for (const name of part.properties?.keys() ?? []) names.add(name);
    for (const next of [part.allOf, part.anyOf, part.oneOf].flat()) if (next) seen.add(next);
    if (part.ref) seen.add(part.ref.shape);
  }
  return names;
}

function checkElements(
  shape: Shape,
  value: readonly unknown[],
  path: string,
  validation: Validation,
  report: Report,
): void {
  value.forEach((element, index) => {
    const place = `${path}[${index}]`;
    const own = shape.prefix?.[index] ?? shape.items;
    if (own === false) report(place, () => `unexpected element, at most ${shape.prefix?.length ?? 0} are allowed`);
    else if (own) check(own, element, place, validation, report);
  });
}

function checkBranches(
  branches: readonly Shape[],
  exactlyOne: boolean,
  value: unknown,
  path: string,
  validation: Validation,
  report: Report,
): void {
  const outcomes = branches.map((branch) => {
    const problems: Problem[] = [];
    checkPart(branch, value, path, validation, reportTo(problems));
    return problems;
  });
  const fitting = outcomes.filter((problems) => problems.length === 0).length;
  if (fitting === 1 || (fitting > 1 && !exactlyOne)) return;
  if (fitting > 1) {
    report(path, () => `matches ${fitting} of ${branches.length} alternatives, must match exactly one`);
    return;
  }
  const nearest = nearestOf(branches, outcomes, value, path);
  if (nearest === undefined) {
    report(path, () => `expected ${typeText({ anyOf: branches }, validation.syntax)}, got ${shown(value, validation)}`);
    return;
  }
  const others = nearest.ofSeveral ? ` (nearest of ${branches.length} alternatives)` : '';
  for (const [index, problem] of nearest.problems.entries()) {
    report(problem.path, () => `${problem.message}${index === 0 ? others : ''}`);
  }
}

/**
 * Returns the problems of the alternative that the value is most likely meant for. It has the right type. Constants of its fields,
 * such as `kind: "circle"`, decide first, then the number of problems. Undefined when no alternative has the right type.
 */
function nearestOf(
  branches: readonly Shape[],
  outcomes: readonly (readonly Problem[])[],
  value: unknown,
  path: string,
): { readonly problems: readonly Problem[]; readonly ofSeveral: boolean } | undefined {
  const near = outcomes
    .map((problems, index) => ({ problems, constants: matchingConstants(branches[index], value) }))
    .filter(({ problems }) => problems.every((problem) => problem.path !== path))
    .sort((a, b) => b.constants - a.constants || a.problems.length - b.problems.length);
  const [first, second] = near;
  if (first === undefined) return undefined;
  return { problems: first.problems, ofSeveral: second !== undefined && second.constants === first.constants };
}

/** Returns how many fields with one allowed value have it, minus those that have another one. */
function matchingConstants(branch: Shape | undefined, value: unknown): number {
  if (branch === undefined || !isObject(value)) return 0;
  let matching = 0;
  for (const [name, { values }] of objectView(branch).properties) {
    if (values?.length !== 1 || !Object.hasOwn(value, name)) continue;
    matching += isDeepStrictEqual(values[0], Reflect.get(value, name)) ? 1 : -1;
  }
  return matching;
}

function isOfType(value: unknown, type: TypeName): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  // Beyond ±(2⁵³-1), a number of JavaScript may be another one.
  if (type === 'integer') return typeof value === 'bigint' || Number.isSafeInteger(value);
  if (type === 'number') return numberIn(value) !== undefined;
  return typeof value === type;
}

function typeText(shape: Shape, syntax: TypeSyntax): string {
  const text = typeOf(shape, { syntax, depth: 1, maxValues: 12, maxProperties: 4 }, true);
  const named = shape.types?.includes('integer') ? text.replace('number', 'integer') : text;
  // A part of an enumeration would look like all of it.
  if (shape.values && roughTokens(named) > 3 * SHOWN_TOKENS) return syntax.manyValues(shape.values);
  return shorten(named, 3 * SHOWN_TOKENS);
}

function shown(value: unknown, { syntax, asWritten, hidesValues }: Validation): string {
  if (hidesValues && value !== null && typeof value !== 'object') {
    return syntax.primitive(
      Number.isInteger(value) || typeof value === 'bigint'
        ? 'integer'
        : (typeof value as 'string' | 'number' | 'boolean'),
    );
  }
  if (typeof value === 'string') {
    return `${syntax.primitive('string')} ${shorten(syntax.literals([asWritten(value).slice(0, 200)]), SHOWN_TOKENS)}`;
  }
  if (typeof value === 'bigint') return `${syntax.primitive('integer')} ${shorten(String(value), SHOWN_TOKENS)}`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `${value}, whose digits are not exact beyond 2^53: pass them as text or as a BigInt`;
  if (typeof value === 'number') return `${syntax.primitive(Number.isInteger(value) ? 'integer' : 'number')} ${value}`;
  if (typeof value === 'boolean') return `${syntax.primitive('boolean')} ${syntax.literals([value])}`;
  return value === null ? syntax.primitive('null') : Array.isArray(value) ? 'array' : syntax.dictionary(undefined);
}

function suggestion(value: unknown, allowed: readonly unknown[]): string {
  if (typeof value !== 'string') return '';
  const candidates = allowed.filter((entry) => typeof entry === 'string').slice(0, 1_000);
  const [similar] = suggest(value, candidates, 1);
  return similar === undefined ? '' : `, did you mean "${shorten(similar, SHOWN_TOKENS)}"?`;
}
