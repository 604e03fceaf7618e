// Runs tasks by arms in places of several sizes. Every call is made, every program is run, every outcome is checked.
import { ARMS } from './arms/all.mjs';
import { problemOf } from './check.mjs';
import { describePlace, figures } from './report.mjs';
import { openSetup } from './setup.mjs';
import { readState, resetState } from './state.mjs';

/**
 * Rows, one for each task, arm and size, and what each place showed. The direct arms are run at the first size; at the others
 * their transcripts are the same but for the definitions. `keep` gets every outcome. Raises when an outcome is wrong.
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
  const places = [];
  const direct = new Map();
  for (const size of sizes) {
    const place = await openSetup(folder, size, padding, sizes[0]);
    try {
      places.push(await describePlace(place, Object.values(strata).flat()));
      for (const { stratum, task, arm } of runsOf(strata, arms)) {
        if (arm === 'L' && !place.indexed) continue;
        const { run, cached } = ARMS[arm];
        const key = `${task.id} ${arm}`;
        const before = direct.get(key);
        const outcome = before ? withDefinitions(before, place) : await attempt(task, { seed, folder, place, run });
        if (arm.startsWith('D')) direct.set(key, outcome);
        keep(`${size}/${task.id}.${arm}`, outcome);
        rows.push({ size, stratum, task: task.id, arm, ...figures(outcome, cached) });
      }
    } finally {
      await place.close();
    }
  }
  return { rows, places };
}

function runsOf(strata, arms) {
  return Object.entries(strata).flatMap(([stratum, tasks]) =>
    tasks.flatMap((task) => arms.map((arm) => ({ stratum, task, arm }))),
  );
}

/** Runs one arm on the start of the world and checks what came of it. */
async function attempt(task, { seed, folder, place, run }) {
  resetState(folder, seed);
  const outcome = await run(task, place);
  const problem = problemOf(task, seed, { answer: outcome.answer, world: readState(folder) });
  if (problem) throw new Error(`${task.id}: ${problem}`);
  return outcome;
}

function withDefinitions(outcome, { definitions }) {
  return { ...outcome, transcript: { ...outcome.transcript, system: definitions } };
}
