// Runs tasks of public benchmarks as programs, and compares the end state with that of direct calls, also with faults.
// Usage: `npm run bench:proof -- --folder FOLDER [--set tau2] [--tasks 20] [--variant 'quickjs, typescript'] [--quick] [--json FILE]`.
// FOLDER has the checkouts; --sources prints the commands that make them. --quick runs few tasks of each set, in three minutes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../tokens/random.mjs';
import { connectDirectly } from './direct.mjs';
import { writeProgram } from './programs.mjs';
import { printReport } from './report.mjs';
import { startTools } from './server.mjs';
import { cloneCommands, EXAMPLE, problemOf, SOURCES } from './sources.mjs';
import { runTask } from './task.mjs';
import { countTranscripts } from './tokens.mjs';
import { startToolwright } from './toolwright.mjs';
import { allVariants, faultOf, titleOf } from './variants.mjs';

const QUICK_TASKS = 6;
/** Lines of tasks that go side by side: all, and those of variants that use the processors. */
const LINES = 8;
const AT_ONCE = 2;
const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    set: { type: 'string', multiple: true },
    tasks: { type: 'string' },
    variant: { type: 'string', multiple: true },
    quick: { type: 'boolean' },
    sources: { type: 'boolean' },
    json: { type: 'string' },
  },
});

/** Makes the calls of each task directly. A task whose calls give two different states cannot show anything. */
async function runDirectly(tools, tasks) {
  const direct = await connectDirectly(tools.url);
  const found = [];
  for (const task of tasks) {
    if (task.problem !== undefined) {
      found.push(task);
      continue;
    }
    const runs = [];
    for (let run = 0; run < 2; run++) {
      await tools.begin(task.id);
      await direct.run(task.actions);
      runs.push(await tools.end());
    }
    const [gold, again] = runs;
    const isStable = JSON.stringify(gold) === JSON.stringify(again);
    found.push(isStable ? { ...task, gold } : { ...task, problem: 'two runs of the direct calls differ' });
  }
  await direct.close();
  return found;
}

/** Runs all tasks in one variant, in lines that go side by side: each has its own tools and its own Toolwright. */
async function runVariant({ lines, tasks, variant, isReadOnly, folder }) {
  const random = seededRandom(1);
  const jobs = tasks.map((task) => ({ task, fault: faultOf(variant.fault, task.gold.log.length, random) }));
  // A killed process keeps its lease for ten seconds, in which a line only waits.
  const used = lines.slice(0, variant.fault === 'kill' ? lines.length : AT_ONCE);
  const started = performance.now();
  const results = await Promise.all(
    used.map((tools, index) => runLine({ tools, jobs, variant, isReadOnly, folder: join(folder, String(index)) })),
  );
  return { title: titleOf(variant), seconds: (performance.now() - started) / 1_000, results: results.flat() };
}

/** Takes jobs and runs them until none is left. */
async function runLine({ tools, jobs, variant, isReadOnly, folder }) {
  mkdirSync(folder, { recursive: true });
  const start = () => startToolwright(folder, tools.url, variant);
  const holder = {
    current: await start(),
    async replace() {
      await holder.current.kill();
      holder.current = await start();
    },
  };
  const results = [];
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    const { task, fault } = job;
    const { code, taken } = writeProgram('tasks', task.gold.log, variant.language);
    try {
      results.push({ taken, ...(await runTask({ task, gold: task.gold, holder, tools, code, fault, isReadOnly })) });
    } catch (error) {
      results.push({ id: task.id, problem: error.message });
      if (error.message === 'KILLED') holder.current = await start();
    }
  }
  await holder.current.close();
  return results;
}

async function runSet(source, root) {
  const difference = problemOf(source, values.folder);
  if (difference) console.error(`${source.title}: ${difference.text}`);
  if (difference?.missing) return { title: source.title, missing: difference.text };
  const folder = join(root, source.set);
  mkdirSync(folder, { recursive: true });
  const lines = await Promise.all(
    Array.from({ length: LINES }, (_, index) =>
      startTools({
        set: source.set,
        checkout: join(values.folder, source.folder),
        venv: join(values.folder, 'venv'),
        state: join(folder, `state-${index}`),
      }),
    ),
  );
  const [tools] = lines;
  try {
    const { tools: definitions, tasks: all } = await tools.list();
    const few = values.tasks ?? (values.quick ? QUICK_TASKS : undefined);
    const step = few === undefined ? 1 : Math.max(1, Math.floor(all.length / Number(few)));
    const tasks = await runDirectly(
      tools,
      all.filter((_, index) => index % step === 0),
    );
    const reading = new Set(definitions.flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : [])));
    const isReadOnly = (name) => reading.has(name);
    const usable = tasks.filter(({ problem }) => problem === undefined);
    const transcripts = await countTranscripts({ tools, definitions, tasks: usable, folder: join(folder, 'tokens') });
    const variants = [];
    for (const variant of chosenVariants()) {
      console.error(`${source.title}: ${titleOf(variant)}`);
      const name = String(variants.length);
      variants.push(await runVariant({ lines, tasks: usable, variant, isReadOnly, folder: join(folder, name) }));
    }
    return { title: source.title, difference: difference?.text, tasks, transcripts, variants };
  } finally {
    for (const line of lines) line.close();
  }
}

function chosenVariants() {
  const variants = allVariants(['quickjs', 'jail']);
  if (values.variant === undefined) return variants;
  return variants.filter((variant) => values.variant.some((text) => titleOf(variant).includes(text)));
}

if (values.sources || values.folder === undefined) {
  console.log(cloneCommands(values.folder ?? 'FOLDER').join('\n'));
} else {
  const root = mkdtempSync(join(tmpdir(), 'toolwright-proof-'));
  try {
    const sets = [];
    for (const source of values.set?.includes(EXAMPLE.set) ? [EXAMPLE] : SOURCES) {
      if (values.set === undefined || values.set.includes(source.set)) sets.push(await runSet(source, root));
    }
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(sets));
    printReport(sets);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
