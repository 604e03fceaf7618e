// Judges a task by its answer and by what it left behind. It is never told which arm did it.
import { isDeepStrictEqual } from 'node:util';

/** What is wrong with an outcome; undefined when it is right. */
export function problemOf(task, seed, { answer, world }) {
  const expected = task.say(task.expected(structuredClone(seed)));
  if (answer !== expected) return `the answer is ${JSON.stringify(answer)} in place of ${JSON.stringify(expected)}`;
  const after = structuredClone(seed);
  task.after?.(after);
  const parts = Object.keys(seed).filter(
    (part) => !isDeepStrictEqual(comparable(world[part]), comparable(after[part])),
  );
  return parts.length === 0 ? undefined : `the end state is wrong in: ${parts.join(', ')}`;
}

/** Parallel calls may finish in any order: lists compare without theirs, object keys too. */
function comparable(value) {
  if (Array.isArray(value)) return value.map((element) => JSON.stringify(comparable(element))).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, comparable(value[key])]),
  );
}
