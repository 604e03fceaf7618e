// Computes the figures of the report: sums by stratum, and the goals.
import { price, tokens } from './transcript.mjs';

/** Returns the cost of one arm at one size, summed over strata. */
export function sumOf(rows, { size, arm, stratum, key = 'cost' }) {
  const chosen = rows.filter((row) => row.size === size && row.arm === arm && (!stratum || row.stratum === stratum));
  return chosen.length === 0 ? undefined : chosen.reduce((sum, row) => sum + row[key], 0);
}

/** Returns sums by size, stratum (and `all`) and arm. */
export function totals(rows, key) {
  const list = (pick) => [...new Set(rows.map(pick))];
  return Object.fromEntries(
    list(({ size }) => size).map((size) => [
      size,
      Object.fromEntries(
        [...list(({ stratum }) => stratum), 'all'].map((stratum) => [
          stratum,
          Object.fromEntries(
            list(({ arm }) => arm).map((arm) => [
              arm,
              sumOf(rows, { size, arm, key, ...(stratum === 'all' ? {} : { stratum }) }),
            ]),
          ),
        ]),
      ),
    ]),
  );
}

/** Returns the goals with their measured values. */
export function goals(rows, setups) {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const at = sizes.includes(150) ? 150 : sizes[0];
  const over = (arm, options = {}) => sizes.reduce((sum, size) => sum + sumOf(rows, { size, arm, ...options }), 0);
  const reached = (name, value, limit, atLeast = true) => ({
    name,
    value: round(value),
    limit,
    reached: atLeast ? value >= limit : value <= limit,
  });
  const tiny = { stratum: 'tiny' };
  return [
    reached(
      `code with search compared with optimised direct calling, ${at} tools: saves at least`,
      1 - sumOf(rows, { size: at, arm: 'C' }) / sumOf(rows, { size: at, arm: 'D-best' }),
      0.95,
    ),
    reached('code with search compared with search + call, all sizes: saves at least', 1 - over('C') / over('S'), 0.8),
    reached('the same on tiny tasks: costs more by at most', over('C', tiny) / over('S', tiny) - 1, 0.1, false),
    reached(
      'the same with cached definitions',
      over('C', { ...tiny, key: 'warmCost' }) / over('S', { ...tiny, key: 'warmCost' }) - 1,
      0.1,
      false,
    ),
    reached(
      'a failed first program: factor over the run without errors, at most',
      over('C+err') / over('C'),
      1.5,
      false,
    ),
    reached(
      'tokens of a search answer, 5 hits, mean of the queries: at most',
      Math.max(...setups.map(({ searchAnswers }) => searchAnswers.mean)),
      250,
      false,
    ),
    reached(
      'tokens of the core definitions: at most',
      Math.max(...setups.map(({ coreTokens }) => coreTokens)),
      350,
      false,
    ),
  ];
}

/** Returns the figures of one run of a task. */
export function figures({ transcript, misses = 0, programMs = 0 }, cached = true) {
  const { cost: warmCost } = price(transcript, { cached, warm: true });
  return { ...price(transcript, { cached }), warmCost, misses, programMs: Math.round(programMs) };
}

/** Measures the definitions and instructions of a setup, and the search results of each query of the tasks. */
export async function describeSetup({ size, sandbox, agent, definitions }, tasks) {
  const queries = [...new Set(tasks.flatMap(({ search }) => search.map(({ query }) => query)))];
  const answers = await Promise.all(queries.map((query) => agent.full.call('search_tools', { query })));
  const counts = answers.map(({ text }) => tokens(text)).sort((a, b) => a - b);
  const sum = (texts) => texts.reduce((total, text) => total + tokens(text), 0);
  const profile = (name) => ({
    definitions: sum(agent[name].definitions),
    instructions: tokens(agent[name].instructions),
  });
  return {
    size,
    sandbox,
    allDefinitions: sum(definitions),
    full: profile('full'),
    core: profile('core'),
    beside: sum(answers.flatMap(({ beside }) => beside)),
    searchAnswers: {
      queries: counts.length,
      mean: round(counts.reduce((a, b) => a + b, 0) / counts.length),
      p95: counts[Math.floor(counts.length * 0.95)],
      max: counts.at(-1),
    },
  };
}

function round(value) {
  return Math.round(value * 1_000) / 1_000;
}
