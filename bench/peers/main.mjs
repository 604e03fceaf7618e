// Compares Toolwright with other code modes and with direct calls, on one server and in one run: `npm run bench:peers`, or
// `npm run bench:peers -- utcp` for some. Installs the peers into a cache folder first. Each job is measured cold, as the first
// program of a fresh process, and warm.
import { fileURLToPath } from 'node:url';
import { round } from '../measure.mjs';
import { ENDLESS, ESCAPES, EXPECTED } from './jobs.mjs';
import { installPeer, PEERS } from './peers.mjs';
import { runApart } from './run-apart.mjs';

const LIMIT_MS = 3 * 60_000;
/** Processes that measure a job cold. */
const COLD_TIMES = 3;
const ROWS = [
  ['start to the end of a first program with one call, ms', 'startMs'],
  ['trivial program, warm / cold, ms', 'trivial'],
  ['100 calls in sequence, warm / cold, ms', 'sequential'],
  ['50 calls of 5 ms in sequence, warm / cold, ms', 'waiting'],
  ['500 parallel calls, warm / cold, ms', 'parallel'],
  ['5 parallel calls of 300 ms, warm / cold, ms', 'slow'],
  ['fib(27), warm / cold, ms', 'compute'],
  ['result of 1 MB, warm / cold, ms', 'megabyte'],
  ['result of 10 MB, warm / cold, ms', 'tenMegabytes'],
  ['memory, MB', 'memoryMb'],
  ['tokens before the first request', 'tokens'],
  ...Object.keys(ESCAPES).map((name) => [`escape by ${name}`, name]),
  ...Object.keys(ENDLESS).map((name) => [`endless ${name}, limit 1,000 ms: stopped after ms`, `endless-${name}`]),
];

const words = process.argv.slice(2);
const chosen = PEERS.filter(({ title }) => words.length === 0 || words.some((word) => title.includes(word)));
const figures = chosen.map((peer) => {
  console.error(`measuring ${peer.title}`);
  return measure(peer);
});
console.log(`| | ${chosen.map(({ title }) => title).join(' | ')} |\n|---|${'---:|'.repeat(chosen.length)}`);
for (const [label, key] of ROWS) console.log(`| ${label} | ${figures.map((found) => shown(found, key)).join(' | ')} |`);

function shown(found, key) {
  if (!Object.hasOwn(found, key)) return '–';
  return Object.hasOwn(found.cold ?? {}, key) ? `${found[key]} / ${found.cold[key]}` : found[key];
}

/** Returns the figures of one peer. Its programs that may not end, or may end their process, run apart. */
function measure(peer) {
  const { adapter, hasNoSandbox = false, settings = {} } = peer;
  const { folder, node } = installPeer(peer);
  const given = { ...settings, folder };
  const run = runWith(node);
  const jobs = run(adapter, given, 'jobs');
  if (jobs.startMs === undefined) return jobs;
  const measured = Object.keys(EXPECTED).filter((name) => typeof jobs[name] === 'number');
  jobs.cold = Object.fromEntries(measured.map((name) => [name, coldOf(() => run(adapter, given, `cold-${name}`))]));
  if (hasNoSandbox) return jobs;
  const attacks = [...Object.keys(ESCAPES), ...Object.keys(ENDLESS).map((name) => `endless-${name}`)];
  return Object.assign(jobs, ...attacks.map((name) => run(adapter, given, name)));
}

/** Returns the median of fresh processes in milliseconds, or the reason why there is none. */
function coldOf(once) {
  const found = Array.from({ length: COLD_TIMES }, () => once().ms).sort((a, b) => a - b);
  return found.every((ms) => typeof ms === 'number') ? round(found[COLD_TIMES >> 1]) : found[0];
}

/** Returns a function that runs a part of the jobs of a peer in a process of its own. */
function runWith(node) {
  return (adapter, settings, part) => {
    const program = fileURLToPath(new URL('./job.mjs', import.meta.url));
    const args = [program, adapter, JSON.stringify(settings), part];
    const { answer, stderr, signal } = runApart(node, args, LIMIT_MS);
    if (answer !== undefined) return answer;
    const error = stderr.split('\n').find((text) => /^\w*Error\b/.test(text)) ?? stderr.trim();
    const reason = signal ? `its process was ended (${signal})` : error;
    return { [part === 'jobs' ? 'trivial' : part]: `FAILED: ${reason?.slice(0, 120)}` };
  };
}
