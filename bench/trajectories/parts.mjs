// The parts of a result that a model uses later.
import { isIn, isOfEquals, resultValue } from './flow.mjs';

/** Returns the texts and the arguments of calls that the model writes after a call. */
export function writtenAfter({ steps }, call) {
  const at = steps.findIndex(({ calls }) => calls?.includes(call));
  const inStep = steps[at].calls.slice(steps[at].calls.indexOf(call) + 1);
  const later = steps.slice(at + 1).filter(({ user }) => user === undefined);
  const calls = [...inStep, ...later.flatMap((step) => step.calls)];
  return [...later.map(({ text }) => text), ...calls.map(({ arguments: args }) => JSON.stringify(args))].join('\n');
}

/**
 * Returns the fields of a result that occur in a later text, as a shape. It is `true` for a whole value, an object for fields, and a list
 * with one shape for all items of a list. A result without data or without a used field is `true`: the model reads it.
 */
export function usedShape(call, later) {
  return call.isError ? true : (shapeOf(resultValue(call), later) ?? true);
}

function shapeOf(value, later) {
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'boolean' && value !== null && value !== '' && isIn(value, later) ? true : undefined;
  if (Array.isArray(value)) {
    const shapes = value.map((item) => shapeOf(item, later)).filter((shape) => shape !== undefined);
    return shapes.length === 0 ? undefined : [shapes.reduce(union)];
  }
  // Keys that are ids are not known before the result is.
  if (isOfEquals(value)) return Object.values(value).some((item) => shapeOf(item, later) !== undefined) || undefined;
  const fields = Object.entries(value).flatMap(([key, inner]) => {
    const shape = shapeOf(inner, later);
    return shape === undefined ? [] : [[key, shape]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function union(one, other) {
  if (one === true || other === true || Array.isArray(one) !== Array.isArray(other)) return true;
  if (Array.isArray(one)) return [union(one[0], other[0])];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, key in one && key in other ? union(one[key], other[key]) : (one[key] ?? other[key])]),
  );
}
