// Measures all trajectories of a set in all ways of working.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { agents, shownDefinition } from '../tokens/agent.mjs';
import { price } from '../tokens/transcript.mjs';
import { countBatching } from './batching.mjs';
import { direct, search } from './calls.mjs';
import { code } from './code.mjs';
import { openReplay } from './replay.mjs';

const by =
  (options = {}) =>
  (record, setup) =>
    code(record, setup, options);
/** The ways by name. `S` is the one that all others are compared with. */
const WAYS = {
  D: direct,
  S: search,
  C: by(),
  'C, only parts used later': by({ parts: true }),
  'C, `limits.resultBytes` 1,600': by(),
  'C, each first guess wrong': by({ guesses: false }),
  'C, searches first': by({ searches: true }),
  'C, call by call': by({ joins: false }),
};
/** A Toolwright answers longer results with a preview: about 400 tokens. */
const LIMITS = { 'C, `limits.resultBytes` 1,600': { resultBytes: 1_600 } };
const PRICES = { cost: {}, warm: { warm: true }, uncached: { cached: false } };

/**
 * Returns the sums of each way: `cost` with a cache, `warm` with definitions that are cached already, `uncached`, and `turns`. A record with a
 * call that Toolwright refuses, or makes in another way, is left out of all sums, with its problem.
 */
export async function measure({ catalog, trajectories }, scratch, names = Object.keys(WAYS)) {
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
  for (const name of names) {
    // A Toolwright of its own: a way must not learn from the calls of another one.
    const replay = await openReplay(catalog, dataDir(), LIMITS[name]);
    for (const record of trajectories) {
      try {
        costs.set(`${name} ${record.id}`, await priceOf(WAYS[name], record, { ...setup, replay }));
      } catch (error) {
        if (error.code !== 'NOT_REPLAYED') throw error;
        problems.set(record.id, error.message);
      }
    }
    await replay.toolwright.close();
  }
  await searching.toolwright.close();
  const usable = trajectories.filter(({ id }) => !problems.has(id));
  const sums = names.map((name) => {
    const all = usable.map(({ id }) => costs.get(`${name} ${id}`));
    return { name, ...sumOf(all) };
  });
  const batching = countBatching({ catalog, trajectories: usable });
  return { trajectories: usable.length, calls: countCalls(usable), problems: [...problems], ways: sums, batching };
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
