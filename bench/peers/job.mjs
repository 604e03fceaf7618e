// Runs the jobs of one peer in this process, and prints the figures as JSON: node job.mjs PEER '{"folder":…,"sandbox":…}' [PART].
// A part is `jobs`, one job that a fresh process measures (`cold-slow`), or one program that may not end.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { median, round, time } from '../measure.mjs';
import { ENDLESS, ESCAPES, EXPECTED, programsFor } from './jobs.mjs';

/** Times that each job is measured, after one that is not. */
const TIMES = {
  trivial: 50,
  sequential: 7,
  waiting: 3,
  parallel: 5,
  slow: 2,
  compute: 5,
  megabyte: 5,
  tenMegabytes: 2,
};
const LONG_MS = 120_000;
/** A job over this is measured once. */
const SLOW_MS = 20_000;
const LIMIT_MS = 1_000;
/** A program over this has not been stopped. */
const STUCK_MS = 8_000;

const [peer, given = '{}', part = 'jobs'] = process.argv.slice(2);
const settings = JSON.parse(given);
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.mjs', import.meta.url))] };
const { open } = await import(`./adapters/${peer}.mjs`);
const started = performance.now();
const opened = await open(server, settings);
const programs = opened.dialect && programsFor(opened.dialect);
const run = (code, limitMs = LONG_MS) => opened.run(code, limitMs);

/** Returns a function that runs a job and checks its value; undefined if the peer has no such job. */
function jobOf(name) {
  const job = opened.jobs ? opened.jobs[name] : () => run(programs[name]);
  if (!job) return undefined;
  return async () => {
    const value = await job();
    if (value !== EXPECTED[name]) throw new Error(`returned ${JSON.stringify(value)?.slice(0, 80)}`);
  };
}

const reasonOf = (error) =>
  String(error.message ?? error)
    .split('\n')[0]
    .slice(0, 120);

/** Returns the p50 of each job in milliseconds, or the reason why it has none. */
async function measureJobs() {
  const figures = {};
  for (const [name, times] of Object.entries(TIMES)) {
    const job = jobOf(name);
    if (!job) continue;
    try {
      const firstMs = await time(job);
      figures[name] = firstMs > SLOW_MS ? round(firstMs, 0) : await median(times, job);
    } catch (error) {
      figures[name] = reasonOf(error);
    }
  }
  return figures;
}

/** Returns the memory of this process and its children without the server, in MB. */
function memory() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
  const isOwn = (pid) => pid === String(process.pid) || (parents.get(pid) !== undefined && isOwn(parents.get(pid)));
  return round(
    pids.filter(isOwn).reduce((sum, pid) => sum + pssOf(pid), 0),
    0,
  );
}

function parentOf(pid) {
  try {
    return /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function pssOf(pid) {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('peers/server.mjs')) return 0;
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024;
  } catch {
    return 0;
  }
}

/** Returns `held`, or the value with which a program escaped. */
async function attempt(code) {
  try {
    const value = await run(code, LIMIT_MS);
    return typeof value === 'number' || typeof value === 'string' ? `ESCAPED: ${String(value).slice(0, 40)}` : 'held';
  } catch {
    return 'held';
  }
}

/** Returns the milliseconds after which an endless program was stopped. */
async function endless(code) {
  let timer;
  const stuck = new Promise((resolve) => {
    timer = setTimeout(() => resolve('NOT STOPPED'), STUCK_MS);
  });
  const stopped = time(() => run(code, LIMIT_MS).catch(() => undefined)).then((ms) => round(ms, 0));
  return Promise.race([stopped, stuck]).finally(() => clearTimeout(timer));
}

const report = (figures) => console.log(JSON.stringify(figures));
if (part === 'jobs') {
  const startMs = programs
    ? await time(() => run(programs.first)).then(() => round(performance.now() - started, 0))
    : round(performance.now() - started, 0);
  const jobs = await measureJobs();
  report({ startMs, ...jobs, memoryMb: memory(), tokens: encode(await opened.shown()).length });
} else if (part.startsWith('cold-')) {
  const job = jobOf(part.slice('cold-'.length));
  report(job ? { ms: await time(job).catch(reasonOf) } : {});
} else if (part in ESCAPES) report({ [part]: await attempt(ESCAPES[part]) });
else report({ [part]: await endless(ENDLESS[part.replace('endless-', '')]) });
await Promise.race([opened.close(), new Promise((resolve) => setTimeout(resolve, 2_000))]);
process.exit(0);
