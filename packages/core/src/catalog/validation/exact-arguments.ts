import type { Tool } from '@toolwright/connectors';
import { readInputSchema } from '../schema/read-schema.ts';
import type { Shape } from '../schema/shape.ts';
import { TYPESCRIPT_WRITER } from '../signatures/typescript/writer.ts';
import { findProblems } from './problems.ts';

/** The digits of a whole number that may be beyond ±(2⁵³-1). */
const DIGITS = /^-?[1-9]\d{15,4299}$/;
/** References and alternatives of one place that are followed. */
const MAX_STEPS = 1_000;

const shapes = new WeakMap<Tool, Shape>();

/**
 * Returns arguments in which the digits of a whole number beyond ±(2⁵³-1) are a `bigint` where the schema has a number and no text. A
 * program in JavaScript has such a number as text. Arguments without one stay the same object.
 */
export function withExactIntegers(tool: Tool, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shape = shapes.get(tool) ?? readInputSchema(tool.definition.inputSchema);
  shapes.set(tool, shape);
  return convert(shape, args, { steps: MAX_STEPS }) as Record<string, unknown>;
}

function convert(shape: Shape, value: unknown, budget: { steps: number }): unknown {
  if (--budget.steps < 0) return value;
  if (typeof value === 'string') {
    if (!DIGITS.test(value) || Number.isSafeInteger(Number(value))) return value;
    if (isNumeric(shape)) return BigInt(value);
  } else if (typeof value !== 'object' || value === null) return value;
  let converted = convertMembers(shape, value, budget);
  for (const part of [shape.ref?.shape, ...(shape.allOf ?? [])]) {
    if (part) converted = convert(part, converted, budget);
  }
  for (const branches of [shape.anyOf, shape.oneOf]) {
    if (branches) converted = convertByBranch(branches, converted, budget);
  }
  return converted;
}

/** Returns whether a shape itself allows numbers and no text. */
function isNumeric({ types, values }: Shape): boolean {
  if (types) return !types.includes('string') && types.some((type) => type === 'integer' || type === 'number');
  // A list of numbers has those beyond ±(2⁵³-1) as text.
  return (
    values?.some((value) => typeof value === 'number') === true &&
    !values.some((value) => typeof value === 'string' && !DIGITS.test(value))
  );
}

function convertMembers(shape: Shape, value: unknown, budget: { steps: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  let isSame = true;
  const inside = (child: unknown, part: Shape | false | undefined): unknown => {
    const next = part ? convert(part, child, budget) : child;
    isSame &&= next === child;
    return next;
  };
  if (Array.isArray(value)) {
    const items = value.map((item, index) => inside(item, shape.prefix?.[index] ?? shape.items));
    return isSame ? value : items;
  }
  const entries = Object.entries(value).map(([name, child]): [string, unknown] => [
    name,
    inside(child, shape.properties?.get(name) ?? shape.extra ?? onlyOne(shape.patterned)),
  ]);
  return isSame ? value : Object.fromEntries(entries);
}

function onlyOne(patterned: readonly Shape[] | undefined): Shape | undefined {
  return patterned?.length === 1 ? patterned[0] : undefined;
}

/** Converts by the first alternative that the converted value is valid for. A value that is valid as it is stays. */
function convertByBranch(branches: readonly Shape[], value: unknown, budget: { steps: number }): unknown {
  const isValid = (branch: Shape, given: unknown): boolean =>
    findProblems(branch, given, TYPESCRIPT_WRITER.types)?.length === 0;
  if (branches.some((branch) => isValid(branch, value))) return value;
  let changed: unknown;
  for (const branch of branches) {
    const converted = convert(branch, value, budget);
    if (converted === value) continue;
    if (isValid(branch, converted)) return converted;
    changed ??= converted;
  }
  return changed ?? value;
}
