// Grades the outcome of a model: its answer is free text, so it must contain each expected fact. The end state must be exact.
import { stateProblemOf } from '../tokens/check.mjs';

/** Returns the problem of an outcome; undefined for a correct one. */
export function gradeOf(task, seed, { answer, state }) {
  return missingFact(answer, task.expected(structuredClone(seed))) ?? stateProblemOf(task, seed, state);
}

/** Returns the problem of an answer without one of the texts and numbers of a value; undefined if it has all. */
export function missingFact(answer, value) {
  const missing = factsOf(value).filter((fact) => !contains(answer, fact));
  if (missing.length === 0) return undefined;
  return `the answer lacks ${missing.slice(0, 3).join(', ')}: ${JSON.stringify(answer.slice(0, 200))}`;
}

/** Returns the texts and numbers of a value, keys included: many answers are counts by name. */
function factsOf(value) {
  if (value === undefined || value === null || typeof value === 'boolean') return [];
  if (Array.isArray(value)) return value.flatMap(factsOf);
  if (typeof value === 'object') return Object.values(value).flatMap(factsOf);
  return [value];
}

function contains(answer, fact) {
  if (typeof fact === 'number') return numbersIn(answer).some((number) => Math.abs(number - fact) < 0.005);
  return plain(answer).includes(plain(fact));
}

function numbersIn(text) {
  const numbers = text.replaceAll(/(\d)[,' ](?=\d{3}\b)/g, '$1').match(/-?\d+(?:\.\d+)?/g) ?? [];
  return numbers.map(Number);
}

const plain = (text) => text.toLowerCase().replaceAll(/[\s*_`]+/g, ' ');
