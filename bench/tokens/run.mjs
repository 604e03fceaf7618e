// Runs tasks by arm with catalogs of several sizes. Makes all calls, runs all programs and checks all outcomes.
import { ARMS } from './arms/all.mjs';
import { problemOf } from './check.mjs';
import { describeSetup, figures } from './report.mjs';
import { openSetup } from './setup.mjs';
import { readState, resetState } from './state.mjs';

/**
 * Returns one row per task, arm and size, and the figures of each setup. Each arm has a Toolwright of its own. The direct arms run only at the first size, because
 * at other sizes only their definitions differ. An arm with `once` runs only at the second size. Passes each outcome to `keep`. Raises an error for a wrong outcome.
 */
export async function runAll({
  folder,
  seed,
  sizes,
  strata,
  padding,
  arms = Object.keys(ARMS),
  keep = () => undefined,
}) {
  resetState(folder, seed);
  const rows = [];
  const setups = [];
  const direct = new Map();
  for (const size of sizes) {
    for (const [index, arm] of arms.entries()) {
      const { run, cached, like, isFor = () => true, once } = ARMS[arm];
      if (once && size !== sizes[Math.min(1, sizes.length - 1)]) continue;
      const setup = await openSetup(folder, size, padding, sizes[0]);
      try {
        if (index === 0) setups.push(await describeSetup(setup, Object.values(strata).flat()));
        for (const { stratum, task } of tasksOf(strata)) {
          const same = isFor(task) ? undefined : rows.find(isRow({ size, task: task.id, arm: like }));
          if (same) {
            rows.push({ ...same, arm });
            continue;
          }
          const key = `${task.id} ${arm}`;
          const before = direct.get(key);
          const outcome = before ? withDefinitions(before, setup) : await attempt(task, { seed, folder, setup, run });
          if (arm.startsWith('D')) direct.set(key, outcome);
          keep(`${size}/${task.id}.${arm}`, outcome);
          rows.push({ size, stratum, task: task.id, arm, ...figures(outcome, cached) });
        }
      } finally {
        await setup.close();
      }
    }
  }
  return { rows, setups };
}

const isRow = (wanted) => (row) => Object.entries(wanted).every(([key, value]) => row[key] === value);

function tasksOf(strata) {
  return Object.entries(strata).flatMap(([stratum, tasks]) => tasks.map((task) => ({ stratum, task })));
}

/** Runs one arm from the start state and checks the outcome. */
async function attempt(task, { seed, folder, setup, run }) {
  const reset = () => resetState(folder, seed);
  reset();
  const outcome = await run(task, setup, reset);
  const problem = problemOf(task, seed, { answer: outcome.answer, state: readState(folder) });
  if (problem) throw new Error(`${task.id}: ${problem}`);
  return outcome;
}

function withDefinitions(outcome, { definitions }) {
  return { ...outcome, transcript: { ...outcome.transcript, system: definitions } };
}
