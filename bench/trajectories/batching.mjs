// Answers that hold more for the next step, and how often the next step of a record needs it.
import { isIn, resultValue } from './flow.mjs';
import { writtenAfter } from './parts.mjs';

const WORDS = 2;
const MORE_FIELDS = 3;

/** Returns whether the model later uses something of a result that neither the preview nor the context has: a word pair or a value. */
export function needsRest(record, call, preview, known) {
  const later = writtenAfter(record, call);
  const seen = `${known}\n${preview}`;
  return textsOf(resultValue(call)).some((text) => isIn(text, later) && !isIn(text, seen));
}

/** Returns the values of a result, and all word pairs of its texts. */
function textsOf(value) {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf);
  if (typeof value === 'number') return Math.abs(value) >= 10 ? [value] : [];
  return typeof value === 'string' ? wordPairs(value) : [];
}

function wordPairs(text) {
  const words = [...text.matchAll(/\S+/g)];
  if (words.length < WORDS) return text.length > 1 ? [text] : [];
  return words.slice(WORDS - 1).map((last, index) => text.slice(words[index].index, last.index + last[0].length));
}

/**
 * Counts two kinds of batching. `searches` are needless if each result came with the signatures of the tools that require one of its fields.
 * `fields` counts results with data. Of `later` ones, a later step uses a field that the next step does not. Three more fields would have
 * `covered` it.
 */
export function countBatching({ catalog, trajectories }) {
  const requires = new Map(
    catalog.map(({ server, name, inputSchema }) => [`${server} ${name}`, inputSchema?.required ?? []]),
  );
  const searches = { all: 0, needless: 0 };
  const fields = { all: 0, later: 0, covered: 0 };
  for (const record of trajectories) {
    const keys = new Set();
    for (const [index, { queries = [], calls = [] }] of record.steps.entries()) {
      if (queries.length > 0) {
        searches.all++;
        const needed = callsUntilSearch(record.steps.slice(index + 1));
        const isConsumer = ({ server, name }) => requires.get(`${server} ${name}`).some((key) => keys.has(key));
        if (needed.length > 0 && needed.every(isConsumer)) searches.needless++;
      }
      for (const call of calls) countFields(record, call, index, fields, keys);
    }
  }
  return { searches, fields };
}

function callsUntilSearch(steps) {
  const end = steps.findIndex(({ queries = [] }) => queries.length > 0);
  return steps.slice(0, end < 0 ? steps.length : end).flatMap(({ calls = [] }) => calls);
}

function countFields(record, call, index, fields, keys) {
  const value = resultValue(call);
  if (typeof value !== 'object' || value === null || call.isError) return;
  const leaves = leavesOf(value);
  for (const [key] of leaves) keys.add(key);
  const next = record.steps.slice(index + 1).find(({ user }) => user === undefined);
  const soon = next ? `${next.text}\n${JSON.stringify(next.calls.map(({ arguments: args }) => args))}` : '';
  const later = writtenAfter(record, call);
  const keysIn = (text) => new Set(leaves.filter(([, leaf]) => isIn(leaf, text)).map(([key]) => key));
  const [asked, used] = [keysIn(soon), keysIn(later)];
  const missing = [...used].filter((key) => !asked.has(key));
  const more = [...new Set(leaves.map(([key]) => key))].filter((key) => !asked.has(key)).slice(0, MORE_FIELDS);
  fields.all++;
  if (missing.length > 0) fields.later++;
  if (missing.length > 0 && missing.every((key) => more.includes(key))) fields.covered++;
}

/** Returns the texts and numbers of a value with the names of their fields. */
function leavesOf(value, key = '') {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, Array.isArray(value) ? key : name));
  const isTelling = typeof value === 'string' ? value.length > 1 : typeof value === 'number' && Math.abs(value) >= 10;
  return isTelling ? [[key, value]] : [];
}
