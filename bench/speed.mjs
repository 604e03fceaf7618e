// node bench/speed.mjs [SANDBOX]: measures executions, tool calls, limits and memory in one sandbox, compared with the plain
// MCP client and plain Node. Default: quickjs, which runs on each platform.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createToolwright } from 'toolwright';
import { childMemory, median, percentiles, round, time } from './measure.mjs';

const require = createRequire(import.meta.url);
/** A server of the SDK, and a minimal JSON-RPC server without a library as the lower bound. */
const SERVERS = {
  everything: {
    args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    argument: 'message',
  },
  minimal: { args: [fileURLToPath(new URL('../test/fixtures/servers/basic.mjs', import.meta.url))], argument: 'value' },
};
const CPU_PROGRAM = 'const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(24);';
const LIMIT_MS = 500;
const [sandbox = 'quickjs', part] = process.argv.slice(2);
/** Time in which a single-use guest is replaced. The quickjs sandbox needs no pause. */
const PAUSE_MS = sandbox === 'quickjs' ? 0 : 300;
const state = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));

async function withToolwright(options, use) {
  const toolwright = await createToolwright({ dataDir: state, sandbox, ...options });
  try {
    return await use(toolwright, async (source, settings) => {
      const result = await toolwright.execute(source, settings);
      if (result.status === 'failed') throw new Error(JSON.stringify(result.error));
      return result;
    });
  } finally {
    await toolwright.close();
  }
}

async function executions() {
  return withToolwright({}, async (_, run) => {
    const cold = await time(() => run('return 1'));
    for (let warm = 0; warm < 50; warm++) await run('return 1');
    const samples = [];
    for (let index = 0; index < 300; index++) samples.push(await time(() => run(`return ${index}`)));
    const spacedMs = await median(20, () => run('return 1'), 300);
    const typed = await median(100, () => run('const x: number = 1; return x;'));
    const perSecond = 300 / (samples.reduce((sum, sample) => sum + sample, 0) / 1_000);
    return {
      coldMs: round(cold),
      spacedMs,
      warmMs: percentiles(samples),
      warmTypescriptMs: typed,
      perSecond: round(perSecond, 0),
    };
  });
}

/** Runs the benchmark in a process that is limited to one core, including its sandboxes. */
function onOneCore() {
  const pinned = spawnSync('taskset', [
    '-c',
    '0',
    process.execPath,
    fileURLToPath(import.meta.url),
    sandbox,
    'executions',
  ]);
  return pinned.status === 0 ? JSON.parse(pinned.stdout.toString()) : { skipped: 'taskset is not available here' };
}

async function calls(name) {
  const { args, argument } = SERVERS[name];
  const server = { command: process.execPath, args };
  const client = new Client({ name: 'bare', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const direct = (value) => client.callTool({ name: 'echo', arguments: { [argument]: `t${value}` } });
  const sequentially = async (count) => {
    for (let index = 0; index < count; index++) await direct(index);
  };
  const inParallel = (count) => Promise.all(Array.from({ length: count }, (_, index) => direct(index)));
  const program = (count) =>
    `for (let i = 0; i < ${count}; i++) await callMCPTool('tools__echo', { ${argument}: 't' + i });`;
  const parallel = (count) =>
    `await Promise.all(Array.from({ length: ${count} }, (_, i) => callMCPTool('tools__echo', { ${argument}: 't' + i })));`;

  const rows = await withToolwright({ mcpServers: { tools: server } }, async (_, run) => {
    const compare = async (name, repeat, bare, source) => {
      await bare();
      await run(source);
      const bareMs = await median(repeat, bare);
      const toolwrightMs = await median(repeat, () => run(source), PAUSE_MS);
      return {
        name,
        bareMs,
        toolwrightMs,
        ratio: round(toolwrightMs / bareMs),
        perCallUs: round(((toolwrightMs - bareMs) * 1_000) / Number(/\d+/.exec(name)), 0),
      };
    };
    const found = [];
    for (const [count, repeat] of [
      [1, 50],
      [10, 30],
      [100, 20],
      [1_000, 3],
    ]) {
      found.push(await compare(`${count} sequential`, repeat, () => sequentially(count), program(count)));
    }
    found.push(await compare('1000 parallel', 5, () => inParallel(1_000), parallel(1_000)));
    if (name === 'minimal') {
      const wait = (ms) => client.callTool({ name: 'slow', arguments: { ms } });
      for (const ms of [1, 5]) {
        const bare = async () => {
          for (let index = 0; index < 100; index++) await wait(ms);
        };
        const source = `for (let i = 0; i < 100; i++) await callMCPTool('tools__slow', { ms: ${ms} });`;
        found.push(await compare(`100 sequential, the tool waits ${ms} ms`, 5, bare, source));
      }
      const slow = 'await Promise.all([1, 2, 3, 4, 5].map(() => callMCPTool("tools__slow", { ms: 300 })));';
      found.push({
        name: 'five calls of 300 ms under Promise.all',
        toolwrightMs: await median(3, () => run(slow), PAUSE_MS),
      });
    }
    return found;
  });
  await client.close();
  return rows;
}

/** Calls a function of this process, to measure the sandbox and the tool-call pipeline without a server. */
async function callsWithoutServer() {
  const tools = { own: { tools: { echo: { run: ({ text }) => text } } } };
  return withToolwright({ tools }, async (_, run) => {
    const source = 'for (let i = 0; i < 1000; i++) await callMCPTool("own__echo", { text: "t" + i });';
    await run(source);
    return { name: '1000 sequential', perCallUs: round(await median(5, () => run(source), PAUSE_MS), 0) };
  });
}

async function connecting() {
  const server = (name, ...args) => ({
    command: process.execPath,
    args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  });
  const mcpServers = {
    files: server('filesystem', tmpdir()),
    memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(state, 'graph.jsonl') } },
    everything: server('everything', 'stdio'),
  };
  return median(3, () =>
    withToolwright({ mcpServers }, (toolwright) => toolwright.servers({ load: true, waitMs: 20_000 })),
  );
}

async function cpu() {
  const inNode = new Function(CPU_PROGRAM);
  inNode();
  const nodeMs = await median(10, () => inNode());
  return withToolwright({}, async (_, run) => {
    await run(CPU_PROGRAM);
    const sandboxMs = await median(5, () => run(CPU_PROGRAM));
    return { program: 'fib(24)', nodeMs, sandboxMs, ratio: round(sandboxMs / nodeMs, 1) };
  });
}

async function limits() {
  return withToolwright({ limits: { timeoutMs: LIMIT_MS } }, async (_, run) => {
    const overshoot = async (source) => {
      const samples = [];
      for (let index = 0; index < 5; index++) {
        // Each run uses up a process. The pool starts the next one in the background.
        await new Promise((resolve) => setTimeout(resolve, 300));
        samples.push((await run(source)).stats.runMs - LIMIT_MS);
      }
      return percentiles(samples);
    };
    const busyLoopMs = await overshoot('while (true) {}');
    const asyncLoopMs = await overshoot('while (true) await sleep(1);');
    const promiseLoopMs = await overshoot('while (true) await null;');
    const before = process.memoryUsage().rss;
    const bombs = [];
    for (const source of [
      'const a = []; while (true) a.push(new Uint8Array(1e6));',
      'const a = []; while (true) a.push({});',
      'const a = []; while (true) a.push("x".repeat(1e5) + a.length);',
    ]) {
      bombs.push((await run(source, { limits: { timeoutMs: 10_000 } })).limit);
    }
    const hostGrowthMb = round((process.memoryUsage().rss - before) / 1e6, 1);
    const next = (await run('return "well"')).value;
    return {
      limitMs: LIMIT_MS,
      overshoot: { busyLoopMs, asyncLoopMs, promiseLoopMs },
      memoryBombs: { stoppedBy: bombs, hostGrowthMb, next },
    };
  });
}

async function memory() {
  return withToolwright({}, async (_, run) => {
    await run('return 1');
    if (sandbox !== 'quickjs') return { skipped: 'of quickjs only' };
    return childMemory('guest/quickjs.js') ?? { skipped: 'no /proc here' };
  });
}

try {
  if (part === 'executions') console.log(JSON.stringify(await executions()));
  else {
    const report = {
      sandbox,
      executions: await executions(),
      executionsOnOneCore: onOneCore(),
      calls: {
        everything: await calls('everything'),
        minimal: await calls('minimal'),
        noServer: await callsWithoutServer(),
      },
      connectThreeServersMs: await connecting(),
      cpu: await cpu(),
      limits: await limits(),
      idleSandboxMb: await memory(),
    };
    console.log(JSON.stringify(report, null, 2));
  }
} finally {
  rmSync(state, { recursive: true, force: true });
}
