// node bench/sandboxes.mjs [NAME...]: compares each available sandbox and language with plain Node and CPython in one run.
import { execFileSync, spawnSync } from 'node:child_process';
import { poolsAsked } from '../packages/sandbox/build/diagnostics.js';
import { SANDBOXES } from '../packages/sandbox/build/sandboxes/choose.js';
import { percentiles, round, time } from './measure.mjs';

const MIB = 1024 * 1024;
const LIMITS = { timeoutMs: 60_000, memoryBytes: 128 * MIB, messageBytes: 8 * MIB };
const KILL_LIMIT_MS = 200;
const CALLS = 2_000;
const AT_ONCE = 500;
/** Maximum guests of an idle pool. */
const WARM = 2;
const IDLE_MS = 30_000;
const POLL_MS = 250;
/** Time in which a pool replaces its warm guests. */
const REFILL_MS = 400;

const PROGRAMS = {
  javascript: {
    trivial: 'export default async () => 1;',
    sequential: `export default async () => { for (let i = 0; i < ${CALLS}; i++) await callMCPTool('a__b', { i }); };`,
    batched: `export default async () => { await Promise.all(Array.from({ length: ${CALLS} }, (_, i) => callMCPTool('a__b', { i }))); };`,
    cpu: (n) =>
      `const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); export default async () => { const start = Date.now(); fib(${n}); return Date.now() - start; };`,
    endless: [
      'export default async () => { while (true) {} };',
      'export default async () => { while (true) await 0; };',
    ],
    own: (index) => `export default async () => { await callMCPTool('a__b', {}); return ${index}; };`,
  },
  python: {
    trivial: '1',
    sequential: `for i in range(${CALLS}): await call_mcp_tool('a__b', {'i': i})`,
    batched: `import asyncio\nawait asyncio.gather(*[call_mcp_tool('a__b', {'i': i}) for i in range(${CALLS})])\nNone`,
    cpu: (n) =>
      `import time\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nstart = time.time()\nfib(${n})\nround((time.time() - start) * 1000)`,
    endless: ['while True: pass', 'import asyncio\nwhile True: await asyncio.sleep(0)'],
    own: (index) => `await call_mcp_tool('a__b', {})\n${index}`,
  },
};
/** fib of this number takes about 0.5 s without a sandbox. WebAssembly engines use a smaller number. */
const FIB = { javascript: 38, python: 29 };
const SLOW_FIB = { javascript: 26, python: 25 };
const SLOW_ENGINES = ['quickjs', 'pyodide'];

const bridge = { request: async () => ({ ok: true, payload: '"x"' }), notice() {} };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function measure(choice, guest) {
  const sandbox = await choice.create({ memoryBytes: LIMITS.memoryBytes });
  const programs = PROGRAMS[guest];
  const run = async (code, limits = {}, tenant = 'bench') => {
    const program = { guest, code, seed: 1, epochMs: Date.now() };
    const outcome = await sandbox.run(program, { bridge, limits: { ...LIMITS, ...limits }, tenant });
    if (outcome.status === 'failed') throw new Error(`${choice.name}: ${outcome.error.message}`);
    return outcome;
  };
  const spaced = async (count, task) => {
    const samples = [];
    for (let index = 0; index < count; index++) {
      await sleep(REFILL_MS);
      samples.push(await time(() => task(index)));
    }
    return percentiles(samples);
  };
  try {
    const coldMs = round(await time(() => run(programs.trivial)));
    const warmMs = await spaced(15, () => run(programs.trivial));
    // No warm guest has this memory limit, so each run starts a new guest.
    const missMs = await spaced(8, (index) =>
      run(programs.trivial, { memoryBytes: LIMITS.memoryBytes + (index + 1) * MIB }),
    );
    const sameTenantMs = percentiles(await repeat(30, () => run(programs.trivial)));
    const trivialMs = warmMs.p50;
    const perCall = async (code) => round((((await spaced(7, () => run(code))).p50 - trivialMs) * 1_000) / CALLS, 0);
    const sequentialCallUs = await perCall(programs.sequential);
    const batchedCallUs = await perCall(programs.batched);
    const burst = await atOnce(run, programs);
    return {
      plainStartMs: plainStart(guest),
      coldMs,
      warmMs,
      missMs,
      sameTenantMs,
      sequentialCallUs,
      batchedCallUs,
      cpu: await cpu(choice.name, guest, async (code) => Number((await run(code)).value)),
      killOvershootMs: await kills(run, programs),
      atOnce: burst,
    };
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}

/** Measures the start of the plain interpreter, with the empty environment of a guest. */
function plainStart(guest) {
  const [command, args] =
    guest === 'javascript' ? [process.execPath, ['-e', '0']] : ['/usr/bin/python3', ['-I', '-S', '-c', '0']];
  return percentiles(
    Array.from({ length: 15 }, () => {
      const start = performance.now();
      spawnSync(command, args, { env: {} });
      return performance.now() - start;
    }),
  );
}

/** Returns the seconds until the pools have only warm guests. */
async function idleAgain() {
  const start = performance.now();
  for (;;) {
    let guests = 0;
    poolsAsked.publish(({ idle, busy }) => {
      guests += idle + busy;
    });
    const seconds = round((performance.now() - start) / 1_000, 1);
    if (guests <= WARM) return seconds;
    if (seconds * 1_000 > 2 * IDLE_MS) return `not in ${seconds} s`;
    await sleep(POLL_MS);
  }
}

async function repeat(count, task) {
  const samples = [];
  for (let index = 0; index < count; index++) samples.push(await time(task));
  return samples;
}

/** Runs the same function inside and outside the sandbox, each measured by its own clock. */
async function cpu(name, guest, run) {
  const n = (SLOW_ENGINES.includes(name) ? SLOW_FIB : FIB)[guest];
  const plain = () =>
    guest === 'javascript'
      ? Number(
          execFileSync(process.execPath, [
            '--input-type=module',
            '-e',
            `${PROGRAMS.javascript.cpu(n).replace('export default', 'const main =')} console.log(await main());`,
          ]),
        )
      : Number(execFileSync('/usr/bin/python3', ['-c', PROGRAMS.python.cpu(n).replace(/\n(.*)$/, '\nprint($1)')]));
  const plainMs = [];
  const sandboxMs = [];
  for (let index = 0; index < 5; index++) {
    plainMs.push(plain());
    sandboxMs.push(await run(PROGRAMS[guest].cpu(n)));
  }
  const [inside, outside] = [percentiles(sandboxMs).p50, percentiles(plainMs).p50];
  return { program: `fib(${n})`, plainMs: outside, sandboxMs: inside, ratio: round(inside / outside) };
}

async function kills(run, { endless }) {
  const samples = [];
  for (let index = 0; index < 20; index++) {
    await sleep(REFILL_MS / 2);
    const source = endless[index % endless.length];
    samples.push((await time(() => run(source, { timeoutMs: KILL_LIMIT_MS }))) - KILL_LIMIT_MS);
  }
  return { ...percentiles(samples), most: round(Math.max(...samples)) };
}

async function atOnce(run, { own }) {
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const values = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => (await run(own(index), {}, `tenant ${index % 7}`)).value),
  );
  const seconds = (performance.now() - start) / 1_000;
  const wrong = values.filter((value, index) => value !== String(index)).length;
  const hostGrowthMb = round((process.memoryUsage.rss() - before) / 1e6, 1);
  const idleAgainSeconds = await idleAgain();
  return {
    executions: AT_ONCE,
    wrong,
    seconds: round(seconds),
    perSecond: round(AT_ONCE / seconds, 0),
    hostGrowthMb,
    idleAgainSeconds,
  };
}

const wanted = process.argv.slice(2);
const report = {};
for (const choice of SANDBOXES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  for (const guest of choice.languages) {
    const { available, reason } = await choice.probe(guest);
    const key = `${choice.name} ${guest}`;
    report[key] = available ? await measure(choice, guest) : { skipped: reason };
  }
}
console.log(JSON.stringify(report, null, 2));
