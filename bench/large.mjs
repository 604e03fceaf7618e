// node --expose-gc bench/large.mjs [--sandbox quickjs] [--runs 5] [--only stdio] [--profile FILE]: measures values of 10 MB on their way
// through the host. Prints the processor time of the host process, the time end to end, and the growth of its memory, p50 each.
// The jobs with files use the HTTP API of this process: their figures include the client.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listen, mcpServers } from '../packages/server/dist/internal.js';
import { createToolwright } from '../packages/toolwright/dist/index.js';
import { percentiles, round } from './measure.mjs';

const BYTES = 10_000_000;
const SAMPLE_US = 500;
const MEMORY_MS = 2;
const PAUSE_MS = 300;
const SERVER = fileURLToPath(new URL('../test/fixtures/servers/large.mjs', import.meta.url));
const { values } = parseArgs({
  options: {
    sandbox: { type: 'string', default: 'quickjs' },
    runs: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
});

const web = spawn(process.execPath, [SERVER, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [port] = await web.stdout.setEncoding('utf8').take(1).toArray();
const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-large-'));
try {
  for (const mode of ['off', 'placeholders']) await measureAll(mode);
} finally {
  web.kill();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measureAll(mode) {
  const toolwright = await createToolwright({
    ...{ dataDir: join(dataDir, mode), sandbox: values.sandbox, pii: { mode } },
    mcpServers: {
      stdio: { command: process.execPath, args: [SERVER, 'stdio'] },
      http: { url: `http://127.0.0.1:${Number(port)}/mcp` },
    },
    limits: { memoryBytes: 512 * 1024 * 1024 },
  });
  const run = async (program) => {
    const { status, error } = await toolwright.execute(program, { check: false });
    if (status !== 'completed') throw new Error(error?.message);
  };
  const jobs = {};
  for (const server of ['stdio', 'http']) {
    for (const tool of ['text', 'rows']) {
      jobs[`${server}, ${tool}`] = () => run(`return (await callMCPTool('${server}__${tool}', {})).length;`);
    }
  }
  jobs['result to a file'] = () => run(`return 'the last order is late. '.repeat(${BYTES / 24});`);
  jobs['call, result to a file'] = () => run(`return callMCPTool('stdio__text', {});`);
  jobs['image to a file'] = () => run(`await show(await callMCPTool('stdio__image', {})); return 1;`);
  const server = await listen({
    toolwright,
    ...{ mcp: mcpServers({ open: async () => toolwright }), host: '127.0.0.1', port: 0 },
  });
  const { id } = await toolwright.sessions.create();
  const address = `${server.url}/sessions/${id}/files/large.bin`;
  const body = Buffer.alloc(8_000_000, 'text ');
  check(await fetch(address, { method: 'PUT', body }));
  jobs['file upload'] = async () => check(await fetch(address, { method: 'PUT', body }));
  jobs['file download'] = async () => {
    const response = check(await fetch(address));
    for await (const _chunk of response.body);
  };
  for (const [name, job] of Object.entries(jobs)) {
    if (`${name}, redaction ${mode}`.includes(values.only))
      console.log(`${name}, redaction ${mode}:`, JSON.stringify(await measure(job)));
  }
  await server.close();
  await toolwright.close();
}

function check(response) {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return response;
}

async function measure(job) {
  await job();
  await job();
  const session = values.profile === undefined ? undefined : await startProfile();
  const samples = [];
  for (let run = 0; run < Number(values.runs); run++)
    samples.push({ ...(await timeOf(job)), ...(await memoryOf(job)) });
  if (session) await endProfile(session);
  const p50 = (name) => round(percentiles(samples.map((found) => found[name])).p50, 1);
  return { processorMs: p50('processorMs'), endToEndMs: p50('endToEndMs'), growthMb: p50('growthMb') };
}

async function ready() {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  globalThis.gc?.();
}

async function timeOf(job) {
  await ready();
  const used = process.cpuUsage();
  const startMs = performance.now();
  await job();
  const endToEndMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(used);
  return { endToEndMs, processorMs: (user + system) / 1_000 };
}

/** In a run of its own: to read the memory takes time. */
async function memoryOf(job) {
  await ready();
  const held = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, held());
  }, MEMORY_MS);
  await job();
  clearInterval(watch);
  return { growthMb: (Math.max(peak, held()) - before) / 1e6 };
}

async function startProfile() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await session.post('Profiler.start');
  return session;
}

/** Writes the profile, and prints the functions with the most own time. */
async function endProfile(session) {
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  writeFileSync(values.profile, JSON.stringify(profile));
  const names = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName} ${url.split('/').slice(-2).join('/')}:${lineNumber}`,
    ]),
  );
  const sums = new Map();
  for (const [index, id] of profile.samples.entries()) {
    const name = names.get(id);
    sums.set(name, (sums.get(name) ?? 0) + profile.timeDeltas[index] / 1_000 / Number(values.runs));
  }
  const most = [...sums].sort(([, a], [, b]) => b - a).slice(0, 16);
  for (const [name, ms] of most) console.log(`  ${round(ms, 1)} ms  ${name}`);
}
