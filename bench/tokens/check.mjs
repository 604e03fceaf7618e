// Checks the answer and the end state of a task, independently of the arm.
import { isDeepStrictEqual } from 'node:util';

/** Returns the problem of an outcome; undefined for a correct outcome. */
export function problemOf(task, seed, { answer, state }) {
  const expected = task.formatAnswer(task.expected(structuredClone(seed)));
  if (answer !== expected) return `the answer is ${JSON.stringify(answer)} instead of ${JSON.stringify(expected)}`;
  return stateProblemOf(task, seed, state);
}

/** Returns the problem of an end state; undefined for a correct one. */
export function stateProblemOf(task, seed, state) {
  const after = structuredClone(seed);
  task.after?.(after);
  const parts = Object.keys(seed).filter(
    (part) => !isDeepStrictEqual(comparable(state[part]), comparable(after[part])),
  );
  return parts.length === 0 ? undefined : `the end state is wrong in: ${parts.join(', ')}`;
}

/** Sorts lists and object keys, because parallel calls finish in any order. */
function comparable(value) {
  if (Array.isArray(value)) return value.map((element) => JSON.stringify(comparable(element))).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, comparable(value[key])]),
  );
}
