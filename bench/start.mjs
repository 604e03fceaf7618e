// npm run bench:start: measures the time to the first result, and the memory of an idle server. Each figure is
// the median of processes that start one after the other. `-- quickjs` names a sandbox; the default is `auto`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { percentiles, round } from './measure.mjs';

const REPEAT = 9;
const IDLE_MS = 3_000;
const MIB = 1024 * 1024;
const TICKS_PER_SECOND = 100;
const [sandbox = 'auto'] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const cli = fileURLToPath(new URL('../packages/toolwright/dist/cli.js', import.meta.url));
const library = new URL('../packages/toolwright/dist/index.js', import.meta.url).href;
const state = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const server = (name, ...args) => ({
  command: process.execPath,
  args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});
const mcpServers = {
  files: server('filesystem', state),
  memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(state, 'graph.jsonl') } },
  everything: server('everything', 'stdio'),
};
const LIBRARY = `
  const started = performance.now();
  const { createToolwright } = await import(process.argv[1]);
  const importMs = performance.now() - started;
  const toolwright = await createToolwright({ dataDir: process.argv[2], sandbox: process.argv[3] });
  await toolwright.execute('return 1 + 1');
  console.log(JSON.stringify({ importMs, firstMs: performance.now() - started - importMs }));
  await toolwright.close();`;
const SERVERS = `
  const { createToolwright } = await import(process.argv[1]);
  const started = performance.now();
  const mcpServers = JSON.parse(process.argv[4]);
  const toolwright = await createToolwright({ dataDir: process.argv[2], sandbox: process.argv[3], mcpServers });
  await toolwright.servers({ load: true, waitMs: 20_000 });
  console.log(JSON.stringify({ serversMs: performance.now() - started }));
  await toolwright.close();`;

/** Returns the processor time of ended children, in milliseconds. */
function childrenMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[13]) + Number(fields[14])) * 1_000) / TICKS_PER_SECOND;
}

/** Returns a field of a process's memory in MB, `VmHWM` (the peak) or `VmRSS`. */
function memoryOf(pid, field) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024) / MIB;
}

/** Runs a program of Node. Returns its output, its time from start to end, its processor time with its children, and its peak memory. */
async function runNode(args) {
  const [started, before] = [performance.now(), childrenMs()];
  const child = spawn(process.execPath, args, { cwd: state, stdio: ['ignore', 'pipe', 'ignore'] });
  const output = [];
  let peakMb = 0;
  child.stdout.on('data', (text) => output.push(text));
  const watch = setInterval(() => {
    if (child.exitCode === null) peakMb = Math.max(peakMb, memoryOf(child.pid, 'VmHWM'));
  }, 5);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(watch);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { output: output.join(''), ms: performance.now() - started, processorMs: childrenMs() - before, peakMb };
}

async function samplesOf(args, read) {
  const samples = [];
  for (let run = 0; run < REPEAT; run++) samples.push(read(await runNode(args)));
  const medianOf = (name) => round(percentiles(samples.map((sample) => sample[name])).p50, 1);
  return Object.fromEntries(Object.keys(samples[0]).map((name) => [name, medianOf(name)]));
}

const program = (source, ...args) => [
  '--input-type=module',
  '-e',
  source,
  library,
  join(state, 'data'),
  sandbox,
  ...args,
];
const figures = ({ ms, processorMs, peakMb }) => ({ ms, processorMs, peakMb });

async function idleServer() {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', '--sandbox', sandbox],
    cwd: state,
    stderr: 'ignore',
  });
  const started = performance.now();
  await client.connect(transport);
  await client.listTools();
  const readyMs = performance.now() - started;
  await sleep(IDLE_MS);
  const idleMb = memoryOf(transport.pid, 'VmRSS');
  await client.close();
  return { readyMs: round(readyMs, 1), idleMb: round(idleMb, 1) };
}

try {
  process.env.XDG_STATE_HOME = state;
  const report = {
    sandbox,
    node: process.version,
    plainNode: await samplesOf(['-e', '0'], figures),
    help: await samplesOf([cli, '--help'], figures),
    run: await samplesOf([cli, 'run', '--sandbox', sandbox, '-e', 'return 1+1'], figures),
    library: await samplesOf(program(LIBRARY), ({ output }) => JSON.parse(output)),
    threeServers: await samplesOf(program(SERVERS, JSON.stringify(mcpServers)), ({ output }) => JSON.parse(output)),
    mcp: await idleServer(),
  };
  console.log(JSON.stringify(report, null, 2));
} finally {
  rmSync(state, { recursive: true, force: true });
}
