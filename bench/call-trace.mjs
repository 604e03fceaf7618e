// Traces where the host spends the time of one tool call: node bench/call-trace.mjs [--calls 5000] [--sandbox quickjs] [--file FILE].
// Prints the microseconds per call by part. FILE receives the profile, which the tools of Chromium and speedscope show as a flame graph.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createToolwright } from '../packages/toolwright/dist/index.js';
import { round } from './measure.mjs';

const SAMPLE_US = 100;
/** The parts of the host, by the paths of their sources. The first one that matches counts. */
const PARTS = [
  ['bridge to the sandbox', /sandbox\/src\//],
  ['redaction', /pii\/src\//],
  ['journal', /core\/src\/journal\/|start-journal/],
  ['pipeline and policy', /core\/src\/tool-calls\//],
  ['catalog and validation', /core\/src\/catalog\/|node_modules\/ajv/],
  ['connector', /connectors\/src\//],
  ['MCP library with its schemas', /node_modules\/(@modelcontextprotocol|zod)/],
  ['execution', /core\/src\//],
  ['libraries', /node_modules\//],
];

/** The lines of the bundles. */
const known = new Map();
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '5000' },
    sandbox: { type: 'string', default: 'quickjs' },
    file: { type: 'string' },
  },
});
const calls = Number(values.calls);
const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-trace-'));
const server = fileURLToPath(new URL('./peers/server.mjs', import.meta.url));
const toolwright = await createToolwright({
  ...{ dataDir, sandbox: values.sandbox },
  mcpServers: { peers: { command: process.execPath, args: [server] } },
  tools: { inline: { tools: { echo: { run: ({ value }) => value } } } },
  limits: { toolCalls: 1_000_000, timeoutMs: 600_000 },
});
const traces = [];
for (const tool of ['inline__echo', 'peers__echo']) traces.push([tool, await trace(tool)]);
await toolwright.close();
rmSync(dataDir, { recursive: true, force: true });
const parts = [...new Set(traces.flatMap(([, found]) => Object.keys(found)))];
console.log(JSON.stringify(Object.fromEntries(traces), undefined, 2));
console.log(`\n| part, µs per call | ${traces.map(([tool]) => `\`${tool}\``).join(' | ')} |\n|---|---:|---:|`);
for (const part of parts) console.log(`| ${part} | ${traces.map(([, found]) => found[part] ?? 0).join(' | ')} |`);

/** Returns the microseconds per call of each part, in a warm host. */
async function trace(tool) {
  const program = `for (let i = 0; i < ${calls}; i++) await callMCPTool('${tool}', { value: 'hello ' + i }); return 1;`;
  const run = async () => {
    const { status, error } = await toolwright.execute(program, { check: false });
    if (status !== 'completed') throw new Error(error?.message);
  };
  await run();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await session.post('Profiler.start');
  const startMs = performance.now();
  await run();
  const wholeUs = (performance.now() - startMs) * 1_000;
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  if (values.file) writeFileSync(`${values.file}.${tool}.cpuprofile`, JSON.stringify(profile));
  return { 'one call, from start to end': round(wholeUs / calls, 0), ...selfTimes(profile) };
}

/** Adds up the own time of all functions by part. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, partOf(node.callFrame)]));
  const sums = {};
  for (const [index, id] of samples.entries()) {
    const part = byId.get(id);
    sums[part] = (sums[part] ?? 0) + (timeDeltas[index] ?? 0);
  }
  const sorted = Object.entries(sums).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.map(([part, us]) => [part, round(us / calls, 1)]));
}

function partOf({ functionName, url, lineNumber }) {
  if (functionName === '(idle)') return 'waits for the sandbox and the server';
  if (functionName === '(garbage collector)') return 'garbage collector';
  if (url.startsWith('node:') || url === '') return 'Node: streams, timers, promises';
  const source = sourceOf(fileURLToPath(url), lineNumber);
  return PARTS.find(([, pattern]) => pattern.test(source))?.[0] ?? 'other';
}

/** Returns the source of a line of a bundle, as `core/src/journal/lines.ts`. A comment above the code of a file names it. */
function sourceOf(path, lineNumber) {
  const lines = linesOf(path);
  const [, owner = ''] = /packages\/(\w+)\/dist\//.exec(path) ?? [];
  for (let at = Math.min(lineNumber, lines.length - 1); owner !== '' && at >= 0; at--) {
    const [, name] = /^\/\/ (\S+\.(?:ts|js|mjs|cjs))$/.exec(lines[at]) ?? [];
    if (name !== undefined) return `${owner}/${name}`;
  }
  return path;
}

function linesOf(path) {
  const lines = known.get(path) ?? readFileSync(path, 'utf8').split('\n');
  known.set(path, lines);
  return lines;
}
