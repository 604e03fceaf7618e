// Runs the tasks of one set: directly, and in one variant.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectDirectly } from './direct.mjs';
import { writeProgram } from './programs.mjs';
import { isDifferent } from './report.mjs';
import { startTask } from './task.mjs';
import { faultOf } from './variants.mjs';

/** Processes of one variant. A killed one keeps its leases for ten seconds, in which the other one works. */
const GROUPS = { kill: 2 };
/** Programs that go side by side in one process. They must fit into the share of one user. A single one has a higher priority. */
const WIDTHS = { kill: 4, late: 4 };
const WIDTH = 1;
const PYODIDE_WIDTH = 2;

/** Makes the calls of each task directly, twice. A task whose calls give two different states cannot show anything. */
export async function runDirectly({ toolsOf, tasks, results, isOver }) {
  const waiting = missingOf(tasks, results);
  await inParallel(Math.min(WIDTH, waiting.length), async (index) => {
    const tools = await toolsOf(index);
    const direct = await connectDirectly(tools.url);
    while (waiting.length > 0 && !isOver()) {
      const task = waiting.shift();
      results.add({ id: task.id, ...(await goldOf(tools, direct, task)) });
    }
    await direct.close();
  });
}

async function goldOf(tools, direct, { id, actions, problem }) {
  if (problem !== undefined) return { problem };
  const runs = [];
  for (let run = 0; run < 2; run++) {
    await tools.begin(id);
    await direct.run(actions);
    runs.push(await tools.end());
  }
  const [gold, again] = runs;
  return JSON.stringify(gold) === JSON.stringify(again) ? { gold } : { problem: 'two runs of the direct calls differ' };
}

/**
 * Runs tasks in one variant until none is left, or `isOver`.
 *
 * @param refusalOf explains why a task has a gold call that the schema of its tool does not allow.
 * @param atOnce programs and processes of a peer.
 * @param start starts a process that runs programs: `start(dataDir, urls)`. Program `i` has the tools of `urls[i]`.
 */
export async function runVariant({
  toolsOf,
  tasks,
  title,
  fault,
  sandbox,
  language,
  atOnce,
  start,
  results,
  isReadOnly,
  refusalOf,
  folder,
  isOver,
}) {
  const waiting = missingOf(tasks, results);
  if (waiting.length === 0 || isOver()) return;
  const most = sandbox === 'pyodide' ? PYODIDE_WIDTH : Number.POSITIVE_INFINITY;
  const width = Math.min(waiting.length, most, atOnce ?? WIDTHS[fault] ?? WIDTH);
  await inParallel(Math.min(atOnce ?? GROUPS[fault] ?? 1, Math.ceil(waiting.length / width)), async (group) => {
    const tools = await inParallel(width, (index) => toolsOf(group * width + index));
    const holder = await openHolder(join(folder, title, String(group)), tools, start);
    const run = async (index, task, crash) => {
      const begun = performance.now();
      const job = {
        task,
        fault: faultOf(fault, task.gold.log.length, `${title}, ${task.id}`),
        ...writeProgram(`tasks${index}`, task.gold.log, holder.current.template ?? language),
      };
      const outcome = await runJob(job, { holder, tools: tools[index], isReadOnly, crash });
      if (outcome.problem === 'KILLED') throw new Error(`The process of "${title}" ended by itself`);
      const refused = isDifferent(outcome) && outcome.doubled === 0 ? refusalOf(task) : undefined;
      results.add({ id: task.id, taken: job.taken, ms: Math.round(performance.now() - begun), ...outcome, refused });
    };
    if (fault === 'kill') {
      while (waiting.length > 0 && !isOver()) {
        const batch = waiting.splice(0, width);
        const crash = meeting(batch.length, holder.replace);
        await Promise.all(batch.map((task, index) => run(index, task, crash)));
      }
    } else
      await inParallel(width, async (index) => {
        while (waiting.length > 0 && !isOver()) await run(index, waiting.shift());
      });
    await holder.current.close();
  });
}

async function runJob(job, { holder, tools, isReadOnly, crash }) {
  try {
    const started = startTask(job, { holder, tools });
    await started.catch(() => {});
    await crash?.();
    return await (await started).finish(isReadOnly);
  } catch (error) {
    return { problem: error.message };
  }
}

/** Holds the process that runs the programs of a group. */
async function openHolder(dataDir, tools, start) {
  mkdirSync(dataDir, { recursive: true });
  const begin = () =>
    start(
      dataDir,
      tools.map(({ url }) => url),
    );
  const holder = {
    current: await begin(),
    async replace() {
      await holder.current.kill();
      holder.current = await begin();
    },
  };
  return holder;
}

/** Returns a function that resolves when `count` calls of it have met, and `work` is done once. */
function meeting(count, work) {
  let missing = count;
  let start;
  const done = new Promise((resolve) => {
    start = resolve;
  }).then(work);
  return () => {
    missing--;
    if (missing === 0) start();
    return done;
  };
}

const missingOf = (tasks, results) => tasks.filter(({ id }) => !results.has(id));
const inParallel = (count, work) => Promise.all(Array.from({ length: count }, (_, index) => work(index)));
