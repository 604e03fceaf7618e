// npm run bench:agent -- --model provider/name: a real model does the tasks of the token benchmark by direct calling, by search + call, and
// by Toolwright. Prints a table; --json prints every run. The key of the provider is in the environment, see docs/agent.md. Without
// --model, a script plays the model: it proves that everything works, and measures nothing about models.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openModels } from 'toolwright';
import { openPadding } from '../tokens/padding.mjs';
import { openSetup } from '../tokens/setup.mjs';
import { makeSeed, readState, resetState } from '../tokens/state.mjs';
import { STRATA } from '../tokens/tasks/strata.mjs';
import { gradeOf } from './grade.mjs';
import { runTask } from './loop.mjs';
import { scriptFor } from './script.mjs';
import { summary, tableOf } from './table.mjs';
import { WAYS } from './ways.mjs';

const USAGE = `npm run bench:agent -- [--model provider/name] [--size 36|150|650|6000] [--way ${Object.keys(WAYS).join(' | ')}]
  [--task ID | stratum] [--repeat N] [--json]      --way and --task may be repeated`;
const SMALLEST = 36;
const SERVERS = ['filesystem', 'memory', 'everything', 'crm', 'tickets', 'calendar'];
const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    size: { type: 'string', default: '150' },
    way: { type: 'string', multiple: true, default: Object.keys(WAYS) },
    task: { type: 'string', multiple: true, default: [] },
    repeat: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const unknown = values.way.find((name) => !Object.hasOwn(WAYS, name));
if (unknown) fail(`There is no way ${unknown}.`);
const tasks = Object.entries(STRATA).flatMap(([stratum, all]) =>
  all.map((task) => ({ stratum, task })).filter(({ task }) => isChosen(stratum, task)),
);
if (tasks.length === 0) fail(`No task is called ${values.task.join(' or ')}.`);

const model = values.model === undefined ? undefined : await openModels()(values.model);
const folder = mkdtempSync(join(tmpdir(), 'toolwright-agent-'));
const seed = makeSeed();
resetState(folder, seed);
const setup = await openSetup(folder, Number(values.size), openPadding(SERVERS), SMALLEST);
const runs = [];
try {
  for (const { stratum, task } of tasks) {
    for (const way of values.way) {
      for (let repeat = 0; repeat < Number(values.repeat); repeat++) {
        const run = await attempt(task, way);
        runs.push({ stratum, task: task.id, way, ...run });
        console.error(`${run.problem === undefined ? 'ok    ' : 'FAILED'} ${task.id} ${way}  ${run.problem ?? ''}`);
      }
    }
  }
  const about = { model: model?.name ?? 'a script, which is no model', size: setup.size, sandbox: setup.sandbox };
  console.log(values.json ? JSON.stringify({ ...about, summary: summary(runs), runs }, null, 2) : tableOf(about, runs));
} finally {
  await setup.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a task from the start state and grades its outcome. */
async function attempt(task, way) {
  resetState(folder, seed);
  const toolset = WAYS[way].open(setup);
  const outcome = await runTask(task.prompt, toolset, model ?? scriptFor(task, way));
  const problem = outcome.problem ?? gradeOf(task, seed, { answer: outcome.answer, state: readState(folder) });
  return { ...outcome, ...(problem === undefined ? {} : { problem }) };
}

function isChosen(stratum, { id }) {
  return values.task.length === 0 || values.task.includes(id) || values.task.includes(stratum);
}

function fail(message) {
  console.error(`${message}\n${USAGE}`);
  process.exit(2);
}
