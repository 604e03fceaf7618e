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
  const saving = (arm, than) => 1 - sumOf(rows, { size: at, arm }) / sumOf(rows, { size: at, arm: than });
  const tiny = (arm, options) => sumOf(rows, { arm, stratum: 'tiny', ...options });
  const more = (arm, options) => tiny(arm, options) / tiny('S', options) - 1;
  const reached = (name, value, limit, atLeast = true) => ({
    name,
    value: round(value),
    limit,
    reached: atLeast ? value >= limit : value <= limit,
  });
  const atMost = (name, value, limit) => reached(name, value, limit, false);
  const largest = (pick) => Math.max(...setups.map(pick));
  const whole = (profile) => largest(({ [profile]: shown }) => shown.definitions + shown.instructions);
  return [
    reached(`C-core compared with D-best, ${at} tools: saves at least`, saving('C-core', 'D-best'), 0.94),
    reached(`C-core compared with S, ${at} tools: saves at least`, saving('C-core', 'S'), 0.84),
    ...sizes.flatMap((size) =>
      [
        ['not cached', 'cost', size === sizes[0] ? -0.25 : 0.1],
        ['cached', 'warmCost', size === sizes[0] ? -0.45 : 0.05],
      ].map(([definitions, key, limit]) =>
        atMost(
          `C-core compared with S, tiny tasks, ${size} tools, definitions ${definitions}: costs more by at most`,
          more('C-core', { key, size }),
          limit,
        ),
      ),
    ),
    ...(sizes.length < 2
      ? []
      : [
          atMost(
            'break-even of C-core with D-best, tiny tasks, definitions not cached: tools at most',
            breakEvenTools(rows, setups),
            3,
          ),
        ]),
    atMost('a failed program: factor over C-core, at most', over('C+err') / over('C-core'), 1.3),
    atMost('tokens of definitions and instructions, profile full: at most', whole('full'), 550),
    atMost('tokens of definitions and instructions, profile core: at most', whole('core'), 250),
    atMost(
      'tokens of a search answer, mean of the queries: at most',
      largest(({ searchAnswers }) => searchAnswers.mean),
      250,
    ),
    atMost(
      'tokens next to the text of an answer: at most',
      largest(({ beside }) => beside),
      0,
    ),
  ];
}

/**
 * Returns the number of tools at which direct calling of tiny tasks costs as much as C-core with the smallest catalog. The cost of direct
 * calling grows with its definitions. C-core would cost less with fewer names in its instructions, so this is an upper bound.
 */
export function breakEvenTools(rows, [first, second]) {
  const tiny = (arm, { size }) => sumOf(rows, { size, arm, stratum: 'tiny' });
  const perToken = (tiny('D-best', second) - tiny('D-best', first)) / (second.allDefinitions - first.allDefinitions);
  const without = tiny('D-best', first) - perToken * first.allDefinitions;
  return (tiny('C-core', first) - without) / (perToken * (first.allDefinitions / first.size));
}

/** Returns the figures of one run of a task. */
export function figures({ transcript, misses = 0, programMs = 0 }, cached = true) {
  const { cost: warmCost } = price(transcript, { cached, warm: true });
  return { ...price(transcript, { cached }), warmCost, misses, programMs: Math.round(programMs) };
}

/** Measures the definitions and instructions of a setup, and the search results of each query of the tasks. */
export async function describeSetup({ size, sandbox, agent, definitions }, tasks) {
  const queries = [...new Set(tasks.flatMap(({ search }) => search.map(({ query }) => query)))];
  const answers = await Promise.all(queries.map((query) => agent.core.call('search_tools', { query })));
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
