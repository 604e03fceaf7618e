// Joins recorded calls into programs by data flow.
import { textValue } from '../../packages/connectors/build/content/text-value.js';

/** Smaller numbers and shorter texts are constants that a model writes without reading a result. */
const LEAST_NUMBER = 10;
const LEAST_CHARACTERS = 2;

/** Returns the value of a recorded result, as a program gets it. */
export const resultValue = ({ text }) => textValue(text);

/**
 * Splits calls into programs. Between them, no user spoke and no search ran. A call joins the program before it if each of its arguments is
 * known. It is in `known` or in the definition of the tool, or the program reads it from a result without a choice. A call that failed is a
 * program of its own: the model reads the error first.
 */
export function programsOf(calls, known, definitionOf) {
  const programs = [];
  let before = known;
  let results = known;
  for (const [index, call] of calls.entries()) {
    const program = programs.at(-1);
    const joins =
      program !== undefined &&
      !call.isError &&
      !program.at(-1).isError &&
      leavesOf(call.arguments).every(
        (leaf) => isIn(leaf, before) || isIn(leaf, definitionOf(call)) || isRead(leaf, program, { calls, index }),
      );
    if (joins) program.push(call);
    else {
      programs.push([call]);
      before = results;
    }
    results = `${results}\n${call.text}`;
  }
  return programs;
}

/** Returns the texts and numbers of a value that are no constants. */
function leavesOf(value) {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  if (typeof value === 'string') return value.length >= LEAST_CHARACTERS ? [value] : [];
  return typeof value === 'number' && Math.abs(value) >= LEAST_NUMBER ? [value] : [];
}

/** Returns whether a text has a value. Digits around a number would make it another one. */
export function isIn(leaf, text) {
  if (typeof leaf === 'string') return text.includes(leaf) || text.includes(JSON.stringify(leaf).slice(1, -1));
  return new RegExp(`(?<![\\d.])${String(leaf).replaceAll('.', '\\.')}(?![\\d])`).test(text);
}

/** Returns whether a result of the program has a leaf at a place that needs no choice. */
const isRead = (leaf, program, run) =>
  program.some((call) => placesOf(resultValue(call), leaf).some((one) => isForced(one, run)));

/** Returns the places of a leaf in a value. A place has, for each list or record of equals on the way, their leaves at the same place. */
function placesOf(value, leaf, equals = []) {
  if (typeof value !== 'object' || value === null) return value === leaf ? [equals] : [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const others = isOfEquals(value) ? [Object.values(value)] : [];
    return placesOf(inner, leaf, [...equals.map((list) => list.map((one) => one?.[key])), ...others]);
  });
}

/** Returns whether the members are alternatives: a list, or records with the same keys by their id. */
export function isOfEquals(value) {
  const members = Object.values(value);
  if (members.length < 2) return false;
  if (Array.isArray(value)) return true;
  const [first, ...rest] = members.map((one) => typeof one === 'object' && one !== null && Object.keys(one).join());
  return (
    typeof first === 'string' &&
    rest.every((keys) => typeof keys === 'string' && keys.split(',')[0] === first.split(',')[0])
  );
}

/** Returns whether no choice was made: there are no equals, or the same tool is called for all of them, one after the other. */
function isForced(equals, { calls, index }) {
  if (equals.length === 0) return true;
  let [start, end] = [index, index];
  while (start > 0 && calls[start - 1].name === calls[index].name) start--;
  while (end < calls.length && calls[end].name === calls[index].name) end++;
  const taken = new Set(calls.slice(start, end).flatMap(({ arguments: args }) => leavesOf(args)));
  return equals.every((list) => list.every((one) => taken.has(one)));
}
