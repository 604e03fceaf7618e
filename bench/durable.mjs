// node bench/durable.mjs [PART...]: measures executions that wait, crash, go on and are replayed.
// Parts: resume, decision, suspended, crashes, replays. Default: all, in half an hour on two cores.
// TOOLWRIGHT_BENCH_EXECUTIONS and TOOLWRIGHT_BENCH_KILLS shorten the last two.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createToolwright } from '../packages/toolwright/dist/index.js';
import { measureCrashes } from './durable/crashes.mjs';
import { measureReplays } from './durable/replays.mjs';
import { percentiles, round } from './measure.mjs';

const CALLS = 1_000;
const ROUNDS = 5;
const SUSPENDED = 1_000;
const DECISIONS = 50;

const tools = {
  bank: {
    tools: {
      pay: { description: 'Pays', inputSchema: { type: 'object' }, run: async ({ n }) => ({ paid: n }) },
      look: {
        description: 'Reads',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        run: async ({ n }) => ({ n, text: 'x'.repeat(100) }),
      },
    },
  },
};
const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const open = (sandbox, name, waits = { graceMs: 0 }) =>
  createToolwright({ sandbox, tools, waits, policy: { preset: 'careful' }, dataDir: join(folder, name), check: false });

/** Milliseconds from the decision to the end of an execution with recorded calls, with a warm sandbox. */
async function resumeAfterCalls(sandbox) {
  const toolwright = await open(sandbox, `resume-${sandbox}`);
  const program = `let sum = 0; for (let n = 0; n < ${CALLS}; n++) sum += (await callMCPTool('bank__look', { n })).n; await callMCPTool('bank__pay', { n: 1 }); return sum`;
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { executionId } = await toolwright.execute(program);
    await toolwright.executions.decide(executionId, { action: 'approve' });
    await sleep(500);
    const started = performance.now();
    const { status } = await toolwright.executions.resume(executionId);
    samples.push(performance.now() - started);
    if (status !== 'completed') throw new Error(status);
  }
  await toolwright.close();
  return percentiles(samples);
}

/** Milliseconds from a decision to the effect of its call, in the grace period. */
async function decisionToEffect(sandbox) {
  const toolwright = await open(sandbox, `decide-${sandbox}`, { graceMs: 20_000 });
  const samples = [];
  for (let round = 0; round < DECISIONS; round++) {
    let decidedAt = 0;
    const executionId = crypto.randomUUID();
    await toolwright.execute(`return callMCPTool('bank__pay', { n: 1 })`, {
      executionId,
      onApproval() {
        setTimeout(async () => {
          decidedAt = performance.now();
          await toolwright.executions.decide(executionId, { action: 'approve' });
        }, 20);
      },
    });
    samples.push(performance.now() - decidedAt);
  }
  await toolwright.close();
  return percentiles(samples);
}

/** The memory that suspended executions hold. */
async function suspendedMemory() {
  const toolwright = await open('quickjs', 'suspended');
  const run = () => toolwright.execute(`return callMCPTool('bank__pay', { n: 1 })`);
  for (let n = 0; n < 20; n++) await run();
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const started = performance.now();
  for (let n = 0; n < SUSPENDED; n += 4) await Promise.all([run(), run(), run(), run()]);
  const ms = performance.now() - started;
  await sleep(1_000);
  globalThis.gc?.();
  const held = (process.memoryUsage().rss - before) / 2 ** 20;
  await toolwright.close();
  return { executions: SUSPENDED, heldMiB: round(held, 1), msEach: round(ms / SUSPENDED, 2) };
}

const numberOf = (name, fallback) => Number(process.env[name] ?? fallback);
const bySandbox = async (measure) => ({ quickjs: await measure('quickjs'), jail: await measure('jail') });

/** Each part, and the goals of its figures. */
const PARTS = {
  resume: [() => bySandbox(resumeAfterCalls), `milliseconds after ${CALLS} calls: p50 ≤ 400`],
  decision: [() => bySandbox(decisionToEffect), 'milliseconds: p50 ≤ 50'],
  suspended: [suspendedMemory, 'MiB held: ≤ 50'],
  crashes: [
    () =>
      measureCrashes(join(folder, 'crashes'), {
        executions: numberOf('TOOLWRIGHT_BENCH_EXECUTIONS', 1_000),
        kills: numberOf('TOOLWRIGHT_BENCH_KILLS', 50),
      }),
    'lost, missing, doubled, otherArguments: 0',
  ],
  replays: [
    () => measureReplays(join(folder, 'replays'), { executions: numberOf('TOOLWRIGHT_BENCH_EXECUTIONS', 10_000) }),
    'different: 0',
  ],
};

const chosen = process.argv.slice(2);
const unknown = chosen.find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined)
  throw new Error(`There is no part "${unknown}". The parts: ${Object.keys(PARTS).join(', ')}.`);
console.log(JSON.stringify({ node: process.version, cores: availableParallelism(), load: round(loadavg()[0]) }));
for (const part of chosen.length > 0 ? chosen : Object.keys(PARTS)) {
  const [measure, goal] = PARTS[part];
  console.log(JSON.stringify({ part, goal, measured: await measure() }));
}
rmSync(folder, { recursive: true, force: true });
