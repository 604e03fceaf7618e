// npm run bench:tokens: measures the tokens of seven kinds of tasks, by arm and by catalog size. JSON on stdout.
// --write also writes the tables into docs/token-benchmark.md. --sizes=36,150 measures fewer sizes; --strata=tiny and --arms=S,C-core measure
// a part. Transcripts: bench/out/tokens. --trajectories=FOLDER measures recorded trajectories instead.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createToolwright } from 'toolwright';
import { webhookToSlack } from './n8n.mjs';
import { openPadding } from './padding.mjs';
import { breakEvenTools, goals, totals } from './report.mjs';
import { runAll } from './run.mjs';
import { makeSeed } from './state.mjs';
import { breakEven, sweep } from './sweep.mjs';
import { tablesOf, writeBetween } from './tables.mjs';
import { STRATA } from './tasks/strata.mjs';

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean' },
    ...Object.fromEntries(['sizes', 'strata', 'arms', 'trajectories'].map((name) => [name, { type: 'string' }])),
  },
});
const listOf = (option) => options[option]?.split(',');
const SIZES = listOf('sizes')?.map(Number) ?? [36, 150, 650, 6_000];
const arms = listOf('arms');
const strata = Object.fromEntries(Object.entries(STRATA).filter(([name]) => listOf('strata')?.includes(name) ?? true));
const isPart = arms !== undefined || options.strata !== undefined;
const SERVERS = ['filesystem', 'memory', 'everything', 'crm', 'tickets', 'calendar'];
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const OUT = at('../out/tokens/');
const PAGE = at('../../docs/token-benchmark.md');

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'toolwright-tokens-'));
try {
  await (options.trajectories === undefined ? runTasks() : runTrajectories());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function runTasks() {
  const seed = makeSeed();
  const padding = openPadding(SERVERS);
  rmSync(OUT, { recursive: true, force: true });
  const { rows, setups } = await runAll({ folder, seed, sizes: SIZES, strata, padding, keep, arms });
  const costs = { costs: totals(rows, 'cost'), warm: totals(rows, 'warmCost') };
  const tools = setups.length < 2 ? undefined : breakEvenTools(rows, setups);
  if (isPart)
    console.log(JSON.stringify({ padding: padding.source, setups, ...costs, breakEvenTools: tools }, null, 2));
  else await report({ rows, setups, costs }, seed, padding);
}

async function runTrajectories() {
  const { measureTrajectories, trajectoryTables } = await import('../trajectories/main.mjs');
  const found = await measureTrajectories(options.trajectories, folder);
  console.log(JSON.stringify(found, null, 2));
  if (options.write) writeBetween(PAGE, trajectoryTables(found), 'trajectories');
}

/** Prints the whole report, and writes its tables. */
async function report({ rows, setups, costs }, seed, padding) {
  const points = await sweepPoints(seed, padding);
  const whole = {
    seconds: Math.round((performance.now() - started) / 1_000),
    padding: padding.source,
    sandbox: setups[0].sandbox,
    goals: goals(rows, setups),
    setups,
    ...costs,
    breakEvenTokens: breakEven(points),
    points,
    n8n: await webhookToSlack(createToolwright, 'example'),
    transcripts: 'bench/out/tokens',
    rows,
  };
  console.log(JSON.stringify(whole, null, 2));
  if (options.write) writeBetween(PAGE, tablesOf(whole), 'tokens');
}

function keep(name, { transcript }) {
  const path = join(OUT, `${name}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(transcript, null, 1));
}

/** Measures the costs of search + call and of code, by the size of a result. */
async function sweepPoints(seed, padding) {
  const { tasks, files } = sweep();
  const all = { ...seed, files: { ...seed.files, ...files } };
  const strata = { sweep: tasks };
  const { rows } = await runAll({
    folder,
    seed: all,
    sizes: SIZES.slice(0, 1),
    strata,
    padding,
    arms: ['S', 'C-core'],
    keep,
  });
  const cost = (task, arm) => rows.find((row) => row.task === task.id && row.arm === arm).cost;
  return tasks.map((task) => ({ resultTokens: task.resultTokens, S: cost(task, 'S'), C: cost(task, 'C-core') }));
}
