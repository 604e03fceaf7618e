import { isDeepStrictEqual } from 'node:util';
import type { Bound, Shape, TypeName } from './schema.ts';
import { suggest } from './suggest.ts';
import { shorten } from './text.ts';
import { type TypeSyntax, typeOf } from './types.ts';

/** What is wrong with one place in a value. */
export interface Problem {
  /** `options.labels[0]`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Steps that one judgement may take: recursive schemas with alternatives can ask for exponentially many. */
const MAX_STEPS = 50_000;
/** Branches that are searched for names; beyond it any name is allowed. */
const MAX_BRANCHES = 1_000;
const SHOWN_TOKENS = 12;
const LONGEST_SUGGESTED = 200;

type Report = (path: string, message: string) => void;

/** One judgement: what it may still take, and the words it is written in. */
interface Judgement {
  steps: number;
  readonly syntax: TypeSyntax;
  /** How a text or a key is told. */
  readonly asWritten: (text: string) => string;
}

class TooManySteps extends Error {}

/**
 * All problems of a value under a shape, in the order of the schema; undefined when it would take too long to tell. Keywords
 * that a shape does not keep (`not`, `if`, `pattern`, `format`, `uniqueItems`, …) are not judged. Never throws. Types and
 * values are told in the words of `syntax`; a text or key that `written` has, as it says: a part of a value, cut off, is
 * no longer recognised as one.
 */
export function findProblems(
  shape: Shape,
  value: unknown,
  syntax: TypeSyntax,
  written: ReadonlyMap<string, string> = new Map(),
): Problem[] | undefined {
  const asWritten = (text: string) => written.get(text) ?? text;
  const problems: Problem[] = [];
  try {
    judge(shape, value, '', { steps: MAX_STEPS, syntax, asWritten }, (path, message) =>
      problems.push({ path, message }),
    );
    return problems;
  } catch (thrown) {
    // A RangeError is a full stack: a reference that leads to itself, or arguments nested without end.
    if (thrown instanceof TooManySteps || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function judge(shape: Shape, value: unknown, path: string, judgement: Judgement, report: Report): void {
  if (--judgement.steps < 0) throw new TooManySteps();
  const wrong = ownProblem(shape, value, judgement);
  if (wrong !== undefined) {
    report(path, wrong);
    return;
  }
  judgeBounds(shape, value, path, report);
  if (Array.isArray(value)) judgeElements(shape, value, path, judgement, report);
  else if (isObject(value)) judgeProperties(shape, value, path, judgement, report);
  if (shape.ref) judge(shape.ref.shape, value, path, judgement, report);
  for (const branch of shape.allOf ?? []) judge(branch, value, path, judgement, report);
  if (shape.anyOf) judgeBranches(shape.anyOf, false, value, path, judgement, report);
  if (shape.oneOf) judgeBranches(shape.oneOf, true, value, path, judgement, report);
}

/** What is wrong with the value as a whole. */
function ownProblem(shape: Shape, value: unknown, judgement: Judgement): string | undefined {
  if (shape.never) return 'not allowed';
  if (shape.types && !shape.types.some((type) => isOfType(value, type))) {
    return `expected ${typeText({ types: shape.types }, judgement.syntax)}, got ${shown(value, judgement)}`;
  }
  if (shape.values && !shape.values.some((allowed) => isDeepStrictEqual(allowed, value))) {
    return `expected ${typeText(shape, judgement.syntax)}, got ${shown(value, judgement)}${meant(value, shape.values)}`;
  }
  return undefined;
}

function judgeProperties(shape: Shape, value: object, path: string, judgement: Judgement, report: Report): void {
  const given = new Map<string, unknown>(Object.entries(value).filter(([, held]) => held !== undefined));
  const known = shape.properties ?? new Map<string, Shape>();
  const unknown = [...given.keys()].filter((name) => !known.has(name));
  for (const name of shape.required ?? []) {
    if (given.has(name)) continue;
    const property = known.get(name);
    const type = property ? ` (${typeText(property, judgement.syntax)})` : '';
    const [similar] = suggest(name, unknown.slice(0, LONGEST_SUGGESTED), 1);
    report(
      below(path, name),
      `missing${type}${similar === undefined ? '' : `, did you mean it by "${judgement.asWritten(similar)}"?`}`,
    );
  }
  for (const [name, property] of known) {
    if (given.has(name)) judge(property, given.get(name), below(path, name), judgement, report);
  }
  if (shape.patterned || shape.extra === undefined) return;
  const allowed = shape.extra === false ? namedAnywhere(shape) : undefined;
  for (const name of unknown) {
    if (shape.extra) judge(shape.extra, given.get(name), below(path, judgement.asWritten(name)), judgement, report);
    else if (allowed && !allowed.has(name)) {
      const [similar] = suggest(name, [...allowed].slice(0, LONGEST_SUGGESTED), 1);
      report(
        below(path, judgement.asWritten(name)),
        `unknown${similar === undefined ? '' : `, did you mean "${similar}"?`}`,
      );
    }
  }
}

/**
 * Returns the names that a shape or one of its branches and references has, or undefined if one of them allows any name.
 * `additionalProperties: false` beside `allOf` or `anyOf` is mostly meant as `unevaluatedProperties: false`.
 */
function namedAnywhere(shape: Shape): Set<string> | undefined {
  const names = new Set<string>();
  const seen = new Set([shape]);
  for (const part of seen) {
    if (seen.size > MAX_BRANCHES) return undefined;
    if (part !== shape && (part.patterned || part.extra || part.allowsMore)) return undefined;
    for (const name of part.properties?.keys() ?? []) names.add(name);
    for (const next of [part.allOf, part.anyOf, part.oneOf].flat()) if (next) seen.add(next);
    if (part.ref) seen.add(part.ref.shape);
  }
  return names;
}

function judgeElements(
  shape: Shape,
  value: readonly unknown[],
  path: string,
  judgement: Judgement,
  report: Report,
): void {
  value.forEach((element, index) => {
    const place = `${path}[${index}]`;
    const own = shape.prefix?.[index] ?? shape.items;
    if (own === false) report(place, `one element too many, at most ${shape.prefix?.length ?? 0}`);
    else if (own) judge(own, element, place, judgement, report);
  });
}

function judgeBranches(
  branches: readonly Shape[],
  exactlyOne: boolean,
  value: unknown,
  path: string,
  judgement: Judgement,
  report: Report,
): void {
  const outcomes = branches.map((branch) => {
    const problems: Problem[] = [];
    judge(branch, value, path, judgement, (place, message) => problems.push({ path: place, message }));
    return problems;
  });
  const fitting = outcomes.filter((problems) => problems.length === 0).length;
  if (fitting === 1 || (fitting > 1 && !exactlyOne)) return;
  if (fitting > 1) {
    report(path, `fits ${fitting} of ${branches.length} alternatives, must fit exactly one`);
    return;
  }
  // The one alternative of the right kind is the one that was meant.
  const near = outcomes.filter((problems) => problems.every((problem) => problem.path !== path));
  if (near.length === 1) for (const problem of near[0] ?? []) report(problem.path, problem.message);
  else report(path, `expected ${typeText({ anyOf: branches }, judgement.syntax)}, got ${shown(value, judgement)}`);
}

function judgeBounds({ bounds }: Shape, value: unknown, path: string, report: Report): void {
  if (!bounds) return;
  const size = sizeOf(value);
  for (const [bound, limit] of bounds) {
    const test = BOUND_TESTS[bound];
    const measured = test.of === 'value' ? (typeof value === 'number' ? value : undefined) : size[test.of];
    if (measured === undefined || test.holds(measured, limit)) continue;
    report(path, `${test.text} ${limit}${test.of === 'value' ? '' : ` ${test.of}`}, got ${measured}`);
  }
}

type Measure = 'value' | 'characters' | 'elements' | 'properties';

const atLeast = (measured: number, limit: number): boolean => measured >= limit;
const atMost = (measured: number, limit: number): boolean => measured <= limit;

const BOUND_TESTS: Readonly<
  Record<Bound, { of: Measure; text: string; holds: (measured: number, limit: number) => boolean }>
> = {
  minimum: { of: 'value', text: 'must be at least', holds: atLeast },
  maximum: { of: 'value', text: 'must be at most', holds: atMost },
  exclusiveMinimum: { of: 'value', text: 'must be more than', holds: (measured, limit) => measured > limit },
  exclusiveMaximum: { of: 'value', text: 'must be less than', holds: (measured, limit) => measured < limit },
  multipleOf: { of: 'value', text: 'must be a multiple of', holds: isMultiple },
  minLength: { of: 'characters', text: 'must have at least', holds: atLeast },
  maxLength: { of: 'characters', text: 'must have at most', holds: atMost },
  minItems: { of: 'elements', text: 'must have at least', holds: atLeast },
  maxItems: { of: 'elements', text: 'must have at most', holds: atMost },
  minProperties: { of: 'properties', text: 'must have at least', holds: atLeast },
  maxProperties: { of: 'properties', text: 'must have at most', holds: atMost },
};

function isMultiple(measured: number, step: number): boolean {
  if (step <= 0) return true;
  const times = measured / step;
  // 0.3 / 0.1 is not quite 3.
  return Math.abs(times - Math.round(times)) < 1e-8 * Math.max(1, Math.abs(times));
}

function sizeOf(value: unknown): { characters?: number; elements?: number; properties?: number } {
  // The specification counts code points, as spreading a string does.
  if (typeof value === 'string') return { characters: value.length > 100_000 ? value.length : [...value].length };
  if (Array.isArray(value)) return { elements: value.length };
  return isObject(value) ? { properties: Object.keys(value).length } : {};
}

function isOfType(value: unknown, type: TypeName): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeText(shape: Shape, syntax: TypeSyntax): string {
  const text = typeOf(shape, { syntax, depth: 1, maxValues: 6, maxProperties: 4 }, true);
  const named = shape.types?.includes('integer') ? text.replace('number', 'integer') : text;
  return shorten(named, 3 * SHOWN_TOKENS);
}

function shown(value: unknown, { syntax, asWritten }: Judgement): string {
  if (typeof value === 'string') {
    return `${syntax.primitive('string')} ${shorten(syntax.literals([asWritten(value).slice(0, 200)], false), SHOWN_TOKENS)}`;
  }
  if (typeof value === 'number') return `${syntax.primitive(Number.isInteger(value) ? 'integer' : 'number')} ${value}`;
  if (typeof value === 'boolean') return `${syntax.primitive('boolean')} ${syntax.literals([value], false)}`;
  return value === null ? syntax.primitive('null') : Array.isArray(value) ? 'array' : syntax.dictionary(undefined);
}

function meant(value: unknown, allowed: readonly unknown[]): string {
  if (typeof value !== 'string') return '';
  const candidates = allowed.filter((entry) => typeof entry === 'string').slice(0, 1_000);
  const [similar] = suggest(value, candidates, 1);
  return similar === undefined ? '' : `, did you mean "${shorten(similar, SHOWN_TOKENS)}"?`;
}

function below(path: string, name: string): string {
  const own = /^[\w$-]{1,80}$/.test(name) ? name : JSON.stringify(shorten(name, SHOWN_TOKENS));
  return path === '' ? own : `${path}.${own}`;
}
