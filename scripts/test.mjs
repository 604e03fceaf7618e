// Runs tests. node scripts/test.mjs runs all lanes in their long form, and --lane NAME one of them. --changed runs the short form
// of the lanes that the commits since the last landing can break. With --minutes N, a lane that needs more time than is left runs a
// part of its files: another part at each landing. Lanes after it are left out.
// --short-truth is `npm test`: unit tests, essential integration and attacks, as far as this machine can run them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changedFiles, countLandings, isFullLanding, LANES, lanesOf, ROOT } from './lanes.mjs';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
/** Sandboxes, databases and files of a run. */
const MIN_FREE_BYTES = 1024 * MIB;
const SHORT_TRUTH = ['unit', 'essential', 'attacks'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lane: { type: 'string', multiple: true },
    changed: { type: 'boolean' },
    minutes: { type: 'string' },
    'short-truth': { type: 'boolean' },
  },
});

/** Returns the reason why no test can run; undefined for none. */
function missing() {
  if (!existsSync(join(ROOT, 'node_modules/vitest'))) return 'The packages are not installed: run npm ci.';
  const unknown = values.lane?.find((name) => !Object.hasOwn(LANES, name));
  if (unknown !== undefined) return `There is no lane "${unknown}". The lanes are: ${Object.keys(LANES).join(', ')}.`;
  try {
    accessSync(tmpdir(), constants.W_OK);
  } catch {
    return `The tests cannot write to ${tmpdir()}: set TMPDIR to a folder that this user can write to.`;
  }
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize < MIN_FREE_BYTES)
    return `${tmpdir()} has ${Math.floor((bavail * bsize) / MIB)} MiB free, and the tests need ${MIN_FREE_BYTES / MIB}: free some, or set TMPDIR to another folder.`;
}

/** Runs a program of Node in a process group, and kills the processes that it leaves behind. Resolves to whether it succeeded. */
async function run(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
    detached: process.platform !== 'win32',
  });
  const end = (signal) => {
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
    } catch {
      // All of its processes have ended.
    }
  };
  const forward = (signal) => end(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  const [code] = await once(child, 'close');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, forward);
  end('SIGKILL');
  return code === 0;
}

async function build() {
  if (!(await run(['scripts/build.mjs']))) throw new Error('The build failed.');
}

/** The lanes to run, in their order. */
function chosenLanes() {
  const names = values.lane ?? Object.keys(LANES);
  if (values.changed !== true) return names;
  const { files, reason } = changedFiles();
  const reasons = new Map(files === undefined ? names.map((name) => [name, reason]) : lanesOf(files));
  for (const name of names) {
    const text =
      LANES[name].short === null
        ? 'only in npm run test:all'
        : (reasons.get(name) ?? 'nothing that it tests has changed');
    console.log(`${reasons.has(name) && LANES[name].short !== null ? 'runs    ' : 'left out'}  ${name}: ${text}`);
  }
  const chosen = names.filter((name) => reasons.has(name) && LANES[name].short !== null);
  // Each landing starts with another lane, so that the time of a landing leaves out each of them sometimes.
  const first = chosen.length === 0 ? 0 : countLandings() % chosen.length;
  return [...chosen.slice(first), ...chosen.slice(0, first)];
}

/** The argument that makes a lane of Vitest run the part of its files that fits in this time; none for all of them. */
function partOf(name, ms) {
  const { run: program, seconds } = LANES[name];
  const parts = Math.ceil((seconds * 1_000) / ms);
  if (!program[0].endsWith('vitest.mjs') || parts === 1) return [];
  const part = `${1 + (countLandings() % parts)}/${parts}`;
  console.log(`lane ${name}: part ${part}, the whole lane takes some ${seconds} s: npm run test:all -- --lane ${name}`);
  return [`--shard=${part}`];
}

async function runLanes() {
  const lanes = chosenLanes();
  await build();
  const failed = [];
  const begun = performance.now();
  const maxMs = values.minutes === undefined || isFullLanding() ? Number.POSITIVE_INFINITY : values.minutes * MINUTE_MS;
  for (const name of lanes) {
    const started = performance.now();
    const leftMs = maxMs - (started - begun);
    if (leftMs < MINUTE_MS) {
      console.log(
        `lane ${name}: left out, the ${values.minutes} minutes of a landing are over: npm run test:all -- --lane ${name}`,
      );
      continue;
    }
    const { run: long, short = long } = LANES[name];
    const part = values.changed && Number.isFinite(leftMs) ? partOf(name, leftMs) : [];
    const env = values.changed ? {} : { TOOLWRIGHT_ATTACKS: 'all', TOOLWRIGHT_SUITE: 'all' };
    const isPassed = await run([...(values.changed ? short : long), ...part, ...positionals], env);
    console.log(
      `lane ${name}: ${isPassed ? 'passed' : 'FAILED'} in ${Math.round((performance.now() - started) / 1000)} s`,
    );
    if (!isPassed) failed.push(name);
  }
  if (failed.length === 0) return;
  console.error(`Failed: ${failed.join(', ')}. Run one alone: npm run test:all -- --lane ${failed[0]}`);
  process.exitCode = 1;
}

const problem = missing();
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 2;
} else if (values['short-truth']) {
  await build();
  const projects = SHORT_TRUTH.flatMap((name) => ['--project', name]);
  if (!(await run(['node_modules/vitest/vitest.mjs', 'run', ...projects, ...positionals]))) process.exitCode = 1;
} else await runLanes();
