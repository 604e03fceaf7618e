// npm run bench:agent -- --model provider/name: a real model does the tasks of the token benchmark, or of tau2-bench. It works by direct
// calling, by search + call, and by Toolwright. Prints a table; --json prints every run. The key of the provider is in the environment, see
// docs/agent.md. Without --model, a script plays the model: it proves that everything works, and measures nothing about models.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openModels } from 'toolwright';
import { runTask } from './loop.mjs';
import { openOwn } from './own.mjs';
import { openPublic } from './public.mjs';
import { scriptFor } from './script.mjs';
import { summary, tableOf } from './table.mjs';
import { WAYS } from './ways.mjs';

const USAGE = `npm run bench:agent -- [--model provider/name] [--set own | tau2] [--folder CHECKOUTS] [--size 36|150|650|6000]
  [--way ${Object.keys(WAYS).join(' | ')}] [--task ID | stratum] [--repeat N] [--json]      --way and --task may be repeated
  --set tau2 needs --folder, see docs/proof.md. --repeat is 5 for a model.`;
const REPEAT = 5;
const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    set: { type: 'string', default: 'own' },
    folder: { type: 'string' },
    size: { type: 'string', default: '150' },
    way: { type: 'string', multiple: true, default: Object.keys(WAYS) },
    task: { type: 'string', multiple: true, default: [] },
    repeat: { type: 'string' },
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
if (values.set !== 'own' && values.folder === undefined) fail(`The set ${values.set} needs --folder.`);

const model = values.model === undefined ? undefined : await openModels()(values.model);
const repeats = Number(values.repeat ?? (model ? REPEAT : 1));
const folder = mkdtempSync(join(tmpdir(), 'toolwright-agent-'));
const opened = await (values.set === 'own'
  ? openOwn({ folder, size: Number(values.size) })
  : openPublic({ set: values.set, checkouts: values.folder, folder }));
const runs = [];
try {
  const jobs = opened.jobs.filter(isChosen);
  if (jobs.length === 0) fail(`No task is called ${values.task.join(' or ')}.`);
  for (const job of jobs) {
    for (const way of values.way) {
      for (let repeat = 0; repeat < repeats; repeat++) {
        const run = await attempt(job, way);
        runs.push({ stratum: job.stratum, task: job.task.id, way, ...run });
        console.error(`${run.problem === undefined ? 'ok    ' : 'FAILED'} ${job.task.id} ${way}  ${run.problem ?? ''}`);
      }
    }
  }
  const { size, sandbox } = opened.setup;
  const about = { model: model?.name ?? 'a script, which is no model', size, sandbox };
  console.log(values.json ? JSON.stringify({ ...about, summary: summary(runs), runs }, null, 2) : tableOf(about, runs));
} finally {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a task from the start state and grades its outcome. */
async function attempt(job, way) {
  await job.begin();
  const toolset = WAYS[way].open(opened.setup);
  const outcome = await runTask(job.task.prompt, toolset, model ?? scriptFor(job.task, way));
  const problem = outcome.problem ?? (await job.problemOf(outcome.answer));
  return { ...outcome, ...(problem === undefined ? {} : { problem }) };
}

function isChosen({ stratum, task }) {
  return values.task.length === 0 || values.task.includes(task.id) || values.task.includes(stratum);
}

function fail(message) {
  console.error(`${message}\n${USAGE}`);
  process.exit(2);
}
