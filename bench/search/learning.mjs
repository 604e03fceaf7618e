// Simulates the use of a catalog and measures how much searches learn from it, with tasks that were not used.
import { createDetection, memoryStore } from '@toolwright/pii';
import { openUsage } from '../../packages/core/build/catalog/usage/usage.js';
import { queries } from './data.mjs';
import { agentRecall, mean, quality, round } from './quality.mjs';

const LIVE = ['live_step', 'live_task', 'live_agent'];
const USES = [0, 50, 200, 1_000];
const SEEDS = [1, 2, 3];
const LIMIT = 5;

/**
 * Measures searches after a number of uses. A use is one query of a task of the tuned half, and calls of the task's tools.
 * The measured queries belong to tasks of the held-out half.
 */
export async function learning(haystacks) {
  const live = LIVE.flatMap(queries);
  const report = {};
  for (const [name, sets] of [
    ['livemcpbench', LIVE],
    ['mega', LIVE],
    ['metatool', ['metatool_single_2k']],
  ]) {
    const tasks = (name === 'metatool' ? queries('metatool_single_2k') : live).filter(({ half }) => half === 'tuned');
    for (const uses of USES) {
      const runs = [];
      for (const seed of uses === 0 ? SEEDS.slice(0, 1) : SEEDS)
        runs.push(await run(haystacks[name], tasks, sets, uses, seed));
      for (const set of sets) {
        const row = `${set} in ${name}`;
        report[row] = { ...report[row], [uses]: meanOf(runs.map((measured) => measured[set])) };
      }
    }
  }
  return report;
}

async function run(haystack, tasks, sets, uses, seed) {
  const experience = await experienceOf(haystack, tasks, uses, seed);
  const search = (query, limit) => haystack.index.search(query, { limit, experience }).map(({ tool }) => tool.id);
  const measured = (set) => {
    const heldOut = queries(set).filter(({ half }) => half === 'heldOut');
    return { ...quality(search, heldOut), ...(set === 'live_agent' ? agentRecall(search, heldOut, LIMIT) : {}) };
  };
  return Object.fromEntries(sets.map((set) => [set, measured(set)]));
}

/** Returns the experience of a user after a number of uses: each is a query of a random task, and calls of its tools. */
export async function experienceOf({ index, toolOf }, tasks, uses, seed) {
  const usage = openUsage({
    store: memoryStore(),
    detect: createDetection().detectText,
    log: { warn: (details, message) => console.error(message, details) },
  });
  const random = randomNumbers(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  for (let use = 0; use < uses; use++) {
    const { query, relevant } = pick(tasks);
    const program = usage.forUser('user');
    const experience = await program.experience();
    const found = index.search(query, { limit: LIMIT, experience }).map(({ tool }) => tool.id);
    program.searched(query, found, index.hasTerm);
    for (const alternatives of relevant) {
      const tool = toolOf(pick(alternatives));
      if (tool) program.called(tool);
    }
    await usage.settled();
  }
  const experience = await usage.forUser('user').experience();
  await usage[Symbol.asyncDispose]();
  return experience;
}

function meanOf(rows) {
  return Object.fromEntries(Object.keys(rows[0]).map((key) => [key, round(mean(rows.map((row) => row[key])))]));
}

/** Returns a generator of numbers from 0 to 1 that are the same in every run. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
