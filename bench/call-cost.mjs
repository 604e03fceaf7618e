// node bench/call-cost.mjs [--part warm|parallel|cold|coverage] [--sandboxes quickjs,jail] [--calls 2000] [--rounds 5]: compares a tool call
// with a bare relay between the same three processes. Figures are microseconds of processor time of this process, the guest and
// the server, because a machine may be shared. The arms take turns. Redaction, validation, policy and journal are on.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createToolwright } from '../packages/toolwright/dist/index.js';
import { coverageOf } from './call-cost/coverage.mjs';
import { processorUs } from './call-cost/processor-time.mjs';
import { round } from './measure.mjs';
import { startRelay } from './peers/relay.mjs';

const PARALLEL = 500;
const COLD_CALLS = 100;
const COLD_PROCESSES = 7;
/** So many that no work of the execution itself runs as often. */
const COVERED_CALLS = 300;
const COVERED_EXECUTIONS = 10;
/** Lets the pool replace the guest before a measurement. */
const SETTLE_MS = 700;
const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    sandboxes: { type: 'string', default: 'quickjs,jail' },
    calls: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
    arm: { type: 'string' },
  },
});
const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../test/fixtures/servers/basic.mjs', import.meta.url))],
};
const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const sandboxes = values.sandboxes.split(',');
const PROGRAMS = {
  sequential: (calls) => `for (let i = 0; i < ${calls}; i++) await callMCPTool("tools__add", { a: i, b: 1 });`,
  parallel: (calls) =>
    `await Promise.all(Array.from({ length: ${calls} }, (_, i) => callMCPTool("tools__add", { a: i, b: 1 })));`,
};

/** Starts one arm. Each of its ways to call returns the µs of processor time and of the clock per call. */
async function startArm(name) {
  if (name !== 'relay') return startToolwright(name);
  const relay = await startRelay(server);
  const measured = (work) => async (calls) => {
    await sleep(SETTLE_MS);
    const start = now();
    await work(calls);
    return perCall(start, now(), calls);
  };
  const call = (a) => relay.client.callTool({ name: 'add', arguments: { a, b: 1 } });
  return {
    sequential: measured((calls) => relay.run(`for (let i = 0; i < ${calls}; i++) await call("add", { a: i, b: 1 });`)),
    parallel: measured((calls) => Promise.all(Array.from({ length: calls }, (_, a) => call(a)))),
    close: relay.close,
  };
}

async function startToolwright(sandbox) {
  let marks = [];
  const mark = { run: () => void marks.push(now()) };
  const toolwright = await createToolwright({
    ...{ dataDir, sandbox, mcpServers: { tools: server }, tools: { own: { tools: { mark } } } },
    limits: { toolCalls: 1_000_000, timeoutMs: 600_000 },
  });
  const execute = async (source) => {
    const { status, error } = await toolwright.execute(source, { check: false });
    if (status !== 'completed') throw new Error(error?.message);
  };
  const measured = (way) => async (calls) => {
    marks = [];
    const mark = 'await callMCPTool("own__mark", {});';
    await execute(`await sleep(${SETTLE_MS}); ${mark} ${PROGRAMS[way](calls)} ${mark}`);
    return perCall(...marks, calls);
  };
  return {
    ...{ execute, close: toolwright.close },
    sequential: measured('sequential'),
    parallel: measured('parallel'),
  };
}

function now() {
  const { user, system } = process.cpuUsage();
  return { processorUs: processorUs(), hostUs: user + system, clockMs: performance.now() };
}

function perCall(start, end, calls) {
  return {
    processorUs: (end.processorUs - start.processorUs) / calls,
    hostUs: (end.hostUs - start.hostUs) / calls,
    clockUs: ((end.clockMs - start.clockMs) * 1_000) / calls,
  };
}

/** Measures arms in turns, and returns medians with the ratio to the relay. */
async function compare(way, calls, warmCalls) {
  const names = ['relay', ...sandboxes];
  const arms = new Map();
  const samples = new Map(names.map((name) => [name, []]));
  // The processes of one arm count for it alone: there is one arm at a time.
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    for (const name of names) {
      const arm = arms.get(name) ?? (await startArm(name));
      arms.set(name, arm);
      if (turn === 0) await arm.sequential(warmCalls);
      if (turn === 0 && way !== 'sequential') for (let i = 0; i < 4; i++) await arm[way](calls);
      samples.get(name).push(await arm[way](calls));
    }
  }
  for (const arm of arms.values()) await arm.close();
  return tableOf(samples);
}

/** Measures the first calls of fresh processes. */
function cold() {
  const names = ['relay', ...sandboxes];
  const samples = new Map(names.map((name) => [name, []]));
  for (let turn = 0; turn < COLD_PROCESSES; turn++) {
    for (const name of names) {
      const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--arm', name]);
      if (stdout.length === 0) throw new Error(stderr.toString());
      samples.get(name).push(JSON.parse(stdout.toString()));
    }
  }
  return tableOf(samples);
}

function tableOf(samples) {
  const middle = (list, field) => list.map((sample) => sample[field]).sort((a, b) => a - b)[list.length >> 1];
  const relay = samples.get('relay');
  const rows = [...samples].map(([name, list]) => {
    const ratio = (field) => round(middle(list, field) / middle(relay, field));
    const us = (field) => round(middle(list, field), 0);
    const shares = {
      hostUs: us('hostUs'),
      hostRatio: ratio('hostUs'),
      clockUs: us('clockUs'),
      clockRatio: ratio('clockUs'),
    };
    return [name, { processorUs: us('processorUs'), ratio: ratio('processorUs'), ...shares }];
  });
  return Object.fromEntries(rows);
}

async function coverage() {
  const arm = await startToolwright(sandboxes[0]);
  await arm.sequential(COLD_CALLS);
  const shown = ({ functions, files }) => ({ functions, files });
  const call = await coverageOf(() => arm.sequential(COVERED_CALLS), COVERED_CALLS);
  // Functions that run less often belong to timers of this process.
  const execution = await coverageOf(async () => {
    for (let i = 0; i < COVERED_EXECUTIONS; i++) await arm.execute('return 1');
  }, COVERED_EXECUTIONS);
  await arm.close();
  if (process.env.LIST) console.error(JSON.stringify({ call: call.found, execution: execution.found }));
  return { call: shown(call), execution: shown(execution) };
}

const PARTS = {
  warm: () => compare('sequential', Number(values.calls), 6_000),
  parallel: () => compare('parallel', PARALLEL, 1_000),
  cold,
  coverage,
};
try {
  if (values.arm) {
    const arm = await startArm(values.arm);
    console.log(JSON.stringify(await arm.sequential(COLD_CALLS)));
    await arm.close();
  } else {
    const wanted = values.part ? [values.part] : Object.keys(PARTS);
    for (const part of wanted) console.log(JSON.stringify({ [part]: await PARTS[part]() }));
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
