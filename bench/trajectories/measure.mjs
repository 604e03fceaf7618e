// Measures all trajectories of a set in all ways of working.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { agents, shownDefinition } from '../tokens/agent.mjs';
import { price } from '../tokens/transcript.mjs';
import { direct, search } from './calls.mjs';
import { code } from './code.mjs';
import { openReplay } from './replay.mjs';

/** The ways by name. `S` is the one that all others are compared with. */
const WAYS = {
  'all definitions, call by call (D)': direct,
  'search and calls (S)': search,
  'code, joined by data flow (C)': (record, setup) => code(record, setup),
  'C, returns only the parts used later': (record, setup) => code(record, setup, { parts: true }),
  'C, no first call of a tool guesses its arguments': (record, setup) => code(record, setup, { guesses: false }),
  'C, searches before the first call': (record, setup) => code(record, setup, { searches: true }),
  'C, one call in each program': (record, setup) => code(record, setup, { joins: false }),
};
const PRICES = { cost: {}, warm: { warm: true }, uncached: { cached: false } };

/**
 * Returns the sums of each way: `cost` with a cache, `warm` with definitions that are cached already, `uncached`, and `turns`. A record with a
 * call that Toolwright refuses, or makes in another way, is left out of all sums, with its problem.
 */
export async function measure({ catalog, trajectories }, scratch) {
  const dataDir = () => mkdtempSync(join(scratch, 'data-'));
  const definitions = new Map(catalog.map((tool) => [`${tool.server}__${tool.name}`, definitionOf(tool)]));
  const searching = await openReplay(catalog, dataDir());
  const setup = {
    ask: await openSearch(searching.toolwright),
    definitions: [...definitions.values()],
    definitionOf: ({ server, name }) => definitions.get(`${server}__${name}`),
  };
  const costs = new Map();
  const problems = new Map();
  for (const [name, way] of Object.entries(WAYS)) {
    // A Toolwright of its own: a way must not learn from the calls of another one.
    const replay = await openReplay(catalog, dataDir());
    for (const record of trajectories) {
      try {
        costs.set(`${name} ${record.id}`, await priceOf(way, record, { ...setup, replay }));
      } catch (error) {
        if (error.code !== 'NOT_REPLAYED') throw error;
        problems.set(record.id, error.message);
      }
    }
    await replay.toolwright.close();
  }
  await searching.toolwright.close();
  const usable = trajectories.filter(({ id }) => !problems.has(id));
  const sums = Object.keys(WAYS).map((name) => {
    const all = usable.map(({ id }) => costs.get(`${name} ${id}`));
    return { name, ...sumOf(all) };
  });
  return { trajectories: usable.length, calls: countCalls(usable), problems: [...problems], ways: sums };
}

async function priceOf(way, record, setup) {
  const agent = await agents(setup.replay.toolwright).connect();
  try {
    const transcript = await way(record, { ...setup, agent });
    const costs = Object.entries(PRICES).map(([key, options]) => [key, price(transcript, options).cost]);
    return { ...Object.fromEntries(costs), turns: transcript.turns.length };
  } finally {
    await agent.close();
  }
}

/** Returns a search that has learned nothing. All ways get the same answers. */
async function openSearch(toolwright) {
  const client = await agents(toolwright).connect();
  const answers = new Map();
  return async (request) => {
    const key = JSON.stringify(request);
    if (!answers.has(key)) answers.set(key, (await client.call('search_tools', request)).text);
    return answers.get(key);
  };
}

const definitionOf = ({ server, name, ...tool }) => shownDefinition({ ...tool, name: `${server}__${name}` });
const countCalls = (records) => records.flatMap(({ steps }) => steps.flatMap(({ calls = [] }) => calls)).length;

function sumOf(all) {
  const sum = (key) => all.reduce((total, one) => total + one[key], 0);
  return Object.fromEntries(['cost', 'warm', 'uncached', 'turns'].map((key) => [key, sum(key)]));
}
