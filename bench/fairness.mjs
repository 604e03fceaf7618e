// node bench/fairness.mjs [PART...]: measures the response times of one user while other users flood `toolwright serve`.
// Parts: flood (two users, one with CPU-bound and one with call-bound programs), burst (one user with 500 requests). Default: all.
// TOOLWRIGHT_SANDBOX chooses the sandbox. Each part runs with and without the check of programs.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { client } from './http/client.mjs';
import { percentiles, round } from './measure.mjs';

const SAMPLES = Number(process.env.TOOLWRIGHT_BENCH_SAMPLES ?? 40);
const PAUSE_MS = 50;
/** Time for a flood to fill all queues. */
const RAMP_MS = 3_000;
const SMALL = 'return [1, 2, 3].map((n) => n * 2)';
const state = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));

const cli = fileURLToPath(new URL('../packages/toolwright/dist/cli.js', import.meta.url));
const env = { ...process.env, TOOLWRIGHT_DATA_DIR: join(state, 'server') };

/** Creates an API key, as a server with several users has them. Returns the headers of its user. */
async function credentialOf(user) {
  const args = [cli, 'keys', 'create', '--user', user, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: state });
  return { authorization: `Bearer ${JSON.parse(stdout).key}` };
}

async function startServer() {
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
async function measure({ post }, credential, check) {
  const samples = [];
  let failed = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    await sleep(PAUSE_MS);
    const { status, body, ms } = await post('/execute', { code: SMALL, check }, credential);
    samples.push(ms);
    if (status !== 200 || body.status !== 'completed') failed++;
  }
  return { ...percentiles(samples), max: round(Math.max(...samples), 1), failed };
}

/** Starts the other users in a process of their own, so that their requests do not delay those of the measured one. */
async function startFlood(url, part, check, credentials) {
  const program = fileURLToPath(new URL('fairness/flood.mjs', import.meta.url));
  const args = [program, url, part, String(check), JSON.stringify(credentials)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  return {
    async end() {
      child.stdin.end();
      const [statuses] = await once(lines, 'line');
      return JSON.parse(statuses);
    },
  };
}

async function measureIn(part, check, { carol, ...others }) {
  const server = await startServer();
  const third = client(server.url);
  await measure(third, carol, check);
  const idle = await measure(third, carol, check);
  const flood = await startFlood(server.url, part, check, others);
  await sleep(part === 'flood' ? RAMP_MS : 0);
  const loaded = await measure(third, carol, check);
  const statuses = await flood.end();
  third.close();
  await server.stop();
  return { part, check, idle, loaded, ratioOfP95: round(loaded.p95 / idle.p95, 1), statuses };
}

const parts = process.argv.length > 2 ? process.argv.slice(2) : ['flood', 'burst'];
console.log(JSON.stringify({ node: process.version, cores: availableParallelism(), load: loadavg()[0] }));
try {
  const users = ['ada', 'bob', 'carol'];
  const credentials = Object.fromEntries(
    await Promise.all(users.map(async (user) => [user, await credentialOf(user)])),
  );
  for (const part of parts) {
    for (const check of [true, false]) console.log(JSON.stringify(await measureIn(part, check, credentials)));
  }
} finally {
  rmSync(state, { recursive: true, force: true });
}
