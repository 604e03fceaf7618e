// node bench/fairness.mjs [PART...]: measures the response times of one user while other users flood `toolwright serve`.
// Parts: flood (two users, one with CPU-bound and one with call-bound programs), burst (one user with 500 requests). Default: all.
// TOOLWRIGHT_SANDBOX chooses the sandbox. Each part runs with and without the check of programs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { client } from './http/client.mjs';
import { percentiles, round } from './measure.mjs';

const SAMPLES = Number(process.env.TOOLWRIGHT_BENCH_SAMPLES ?? 40);
const PAUSE_MS = 50;
const FLOODING_REQUESTS = 64;
const BURST_REQUESTS = 500;
/** Time for a flood to fill all queues. */
const RAMP_MS = 3_000;
const SMALL = 'return [1, 2, 3].map((n) => n * 2)';
const CPU_BOUND = 'const end = Date.now() + 2000; while (Date.now() < end); return 1';
const CALL_BOUND = "for (let n = 0; n < 300; n++) await fs.writeFile('f' + (n % 10), 'x'.repeat(1000)); return 2";
const SHORT_CPU_BOUND = 'const end = Date.now() + 100; while (Date.now() < end); return 3';
const state = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));

async function startServer() {
  const cli = fileURLToPath(new URL('../packages/toolwright/dist/cli.js', import.meta.url));
  const env = { ...process.env, TOOLWRIGHT_DATA_DIR: join(state, 'server') };
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--drain-ms', '1'], {
    env,
    cwd: state,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = line.replace('MCP is at ', '').replace(/\/mcp$/, '');
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Sends small programs one after the other, and measures each. */
async function measure({ post }, check) {
  const samples = [];
  let failed = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    await sleep(PAUSE_MS);
    const { status, body, ms } = await post('/execute', { code: SMALL, userId: 'carol', check });
    samples.push(ms);
    if (status !== 200 || body.status !== 'completed') failed++;
  }
  return { ...percentiles(samples), max: round(Math.max(...samples), 1), failed };
}

/** Counts the statuses of sent requests. Requests that the end of the server interrupts are not counted. */
async function send({ post }, statuses, userId, code, check) {
  const { status } = await post('/execute', { code, userId, check }).catch(() => ({}));
  if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1;
  return status;
}

/** Keeps a number of requests of a user in flight until `isOver`. Returns the statuses by count. */
function flood(others, userId, code, check, isOver) {
  const statuses = {};
  const keepSending = async () => {
    while (!isOver()) if ((await send(others, statuses, userId, code, check)) !== 200) await sleep(100);
  };
  for (let request = 0; request < FLOODING_REQUESTS; request++) void keepSending();
  return statuses;
}

async function measureIn(part, check) {
  const server = await startServer();
  const [third, others] = [client(server.url), client(server.url)];
  await measure(third, check);
  const idle = await measure(third, check);
  let isOver = false;
  const floods =
    part === 'flood'
      ? [flood(others, 'ada', CPU_BOUND, check, () => isOver), flood(others, 'bob', CALL_BOUND, check, () => isOver)]
      : [burst(others, check)];
  await sleep(part === 'flood' ? RAMP_MS : 0);
  const loaded = await measure(third, check);
  isOver = true;
  const statuses = structuredClone(floods);
  third.close();
  others.close();
  await server.stop();
  return { part, check, idle, loaded, ratioOfP95: round(loaded.p95 / idle.p95, 1), statuses };
}

function burst(others, check) {
  const statuses = {};
  for (let request = 0; request < BURST_REQUESTS; request++) void send(others, statuses, 'ada', SHORT_CPU_BOUND, check);
  return statuses;
}

const parts = process.argv.length > 2 ? process.argv.slice(2) : ['flood', 'burst'];
console.log(JSON.stringify({ node: process.version, cores: availableParallelism(), load: loadavg()[0] }));
try {
  for (const part of parts) {
    for (const check of [true, false]) console.log(JSON.stringify(await measureIn(part, check)));
  }
} finally {
  rmSync(state, { recursive: true, force: true });
}
