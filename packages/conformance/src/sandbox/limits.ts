import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataOf, failsWith, limitOf, type Programs, programsOf, type SandboxCase } from './case.ts';
import { DEEP_PROGRAMS } from './recursion.ts';

/** Far above measured values (see `bench/speed.mjs`): a busy machine must not fail the suite. */
const OVERSHOOT_MS = 30_000;
const TIMEOUT_MS = 300;
/** The time limit of a program that is paused for longer: long enough to get to the pause on a busy machine. */
const PAUSED_TIMEOUT_MS = 1_000;
const PAUSE_MS = 1_500;
const MEMORY_BYTES = 48 * 1024 * 1024;

function timesOut(name: string, programs: Programs): SandboxCase {
  return {
    area: 'limits',
    name: `the time limit ends ${name}`,
    programs: programsOf(programs),
    limits: { timeoutMs: TIMEOUT_MS },
    async check({ result, execute }) {
      assert.equal(limitOf(result), 'timeout', JSON.stringify(result).slice(0, 500));
      assert.ok(result.stats.runMs < TIMEOUT_MS + OVERSHOOT_MS, `${result.stats.runMs} ms`);
      assert.equal(dataOf((await execute('return 1', { limits: { timeoutMs: 30_000 } })).result), 1);
    },
  };
}

function runsOutOfMemory(name: string, programs: Programs): SandboxCase {
  return {
    area: 'limits',
    name: `the memory limit ends ${name}`,
    programs: programsOf(programs),
    limits: { memoryBytes: MEMORY_BYTES },
    async check({ result, execute }) {
      // An engine may refuse one huge value with an error of the language instead.
      const refused = result.status === 'failed' && /memory|length|size|alloc/i.test(result.error.message);
      assert.ok(limitOf(result) === 'memory' || refused, JSON.stringify(result).slice(0, 500));
      assert.equal(dataOf((await execute('return 1')).result), 1);
    },
  };
}

/** Pauses of the time of one program. */
function openPauses() {
  const listeners = new Set<(isPaused: boolean) => void>();
  return {
    setPaused(isPaused: boolean) {
      for (const listener of listeners) listener(isPaused);
    },
    pauses: {
      onChange(listener: (isPaused: boolean) => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}

/** The program waits while its time stands still, for longer than its limit. Afterwards, it has the rest of its time. */
const STANDS_STILL: SandboxCase = {
  area: 'limits',
  name: 'time that stands still does not count for the time limit',
  programs: { typescript: 'return 1', python: 'return 1' },
  async check({ runAlone, language }) {
    const run = async (programs: { readonly typescript: string; readonly python: string }) => {
      const { pauses, setPaused } = openPauses();
      const answer = async () => {
        setPaused(true);
        await sleep(PAUSE_MS);
        setPaused(false);
        return 'null';
      };
      return runAlone(programs[language], { pauses, answer, timeoutMs: PAUSED_TIMEOUT_MS });
    };
    const waits = await run({ typescript: 'await sleep(1); return 2', python: 'await sleep(1)\nreturn 2' });
    assert.deepEqual(waits, { status: 'completed', value: '2' });
    const loops = await run({
      typescript: 'await sleep(1); for (;;) {}',
      python: 'await sleep(1)\nwhile True:\n    pass',
    });
    assert.equal(loops.status === 'stopped' && loops.limit, 'timeout', JSON.stringify(loops));
  },
};

/** The host stops and starts the time while the guest waits for the source of a module, as at the start of a replay. */
const LOADS_MODULES: SandboxCase = {
  area: 'limits',
  name: 'a module loads while the time stands still',
  programs: { typescript: 'return 1' },
  async check({ runAlone }) {
    const { pauses, setPaused } = openPauses();
    const answer = async () => {
      setPaused(true);
      setPaused(false);
      setPaused(true);
      return JSON.stringify('export const value = 3');
    };
    const imported = await runAlone("import { value } from './values.js'; return value", { pauses, answer });
    assert.deepEqual(imported, { status: 'completed', value: '3' });
    const dynamic = await runAlone("return (await import('./values.js')).value", { pauses, answer });
    assert.deepEqual(dynamic, { status: 'completed', value: '3' });
  },
};

/** Time, memory and calls. */
export const LIMIT_CASES: readonly SandboxCase[] = [
  STANDS_STILL,
  LOADS_MODULES,
  timesOut('a busy loop', {
    typescript: 'for (;;) {}',
    python: `while True:
    pass`,
  }),
  timesOut('an async loop', {
    typescript: 'for (;;) await null',
    python: `import asyncio
while True:
    await asyncio.sleep(0)`,
  }),
  timesOut('a loop of tool calls', {
    typescript: 'for (;;) await callMCPTool("tools__echo", { value: 1 })',
    python: `while True:
    await call_mcp_tool("tools__echo", {"value": 1})`,
  }),
  timesOut('a loop of microtasks', {
    typescript: 'const again = () => queueMicrotask(again); again(); await sleep(60_000)',
    python: `import asyncio
async def main():
    loop = asyncio.get_running_loop()
    def again():
        loop.call_soon(again)
    again()
    await asyncio.sleep(60)
asyncio.run(main())`,
  }),
  timesOut('a wait', {
    // A longer wait would suspend the execution.
    typescript: 'await sleep(15_000)',
    python: `import asyncio
await asyncio.sleep(15)`,
  }),
  timesOut('a wait for a tool', {
    typescript: 'await callMCPTool("tools__stubborn", { ms: 1_500 })',
    python: 'await call_mcp_tool("tools__stubborn", {"ms": 1_500})',
  }),
  timesOut('a loop that catches everything', {
    typescript: 'for (;;) { try { for (;;) { null.x } } catch {} }',
    python: `while True:
    try:
        while True:
            None.x
    except:
        pass`,
  }),
  timesOut('a loop that catches everything, async', {
    typescript: 'for (;;) { try { await Promise.reject(1) } catch {} finally { continue } }',
    python: `while True:
    try:
        await sleep(0)
        raise ValueError
    except BaseException:
        continue`,
  }),
  timesOut('a regular expression that backtracks', {
    typescript: "return /^(a+)+$/.test('a'.repeat(40) + '!')",
    python: `import re
re.match(r"(a+)+$", "a" * 40 + "!")`,
  }),
  timesOut('a sort that never ends', {
    typescript: 'const a = Array.from({ length: 1e5 }, (_, i) => i); for (;;) a.sort(() => Math.random() - 0.5)',
    python: `import random
a = list(range(100_000))
while True:
    a.sort(key=lambda _: random.random())`,
  }),
  timesOut('a getter that never ends', {
    typescript: 'return { get a() { for (;;) {} } }',
    python: `class Endless:
    def __iter__(self):
        while True:
            pass
return Endless()`,
  }),
  timesOut('a toJSON that never ends', {
    typescript: 'return { toJSON() { for (;;) {} } }',
    python: `class Endless(dict):
    def items(self):
        while True:
            pass
return Endless(a=1)`,
  }),
  timesOut('a module that never ends', {
    typescript: "await fs.writeFile('m.js', 'for (;;) {}'); await import('/workspace/m.js')",
    python: `write_file("m.py", "while True:\\n    pass")
import m`,
  }),
  runsOutOfMemory('growing arrays', {
    typescript: 'const a = []; for (;;) a.push(new Array(1000).fill(1))',
    python: `a = []
while True:
    a.append([1] * 1000)`,
  }),
  runsOutOfMemory('growing strings', {
    typescript: "const a = []; for (;;) a.push('x'.repeat(100_000) + a.length)",
    python: `a = []
while True:
    a.append("x" * 100_000 + str(len(a)))`,
  }),
  runsOutOfMemory('typed arrays', {
    typescript: 'const a = []; for (;;) a.push(new Uint8Array(1_000_000).fill(1))',
    python: `a = []
while True:
    a.append(bytearray(1_000_000))`,
  }),
  runsOutOfMemory('a growing Map', {
    typescript: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })',
    python: `import itertools
m = {}
for i in itertools.count():
    m[i] = {"i": i}`,
  }),
  runsOutOfMemory('one huge buffer', {
    typescript: 'return new Uint8Array(1_000_000_000).fill(1).length',
    python: 'return len(bytearray(1_000_000_000))',
  }),
  {
    area: 'limits',
    name: 'the number of tool calls is limited',
    programs: {
      typescript: 'for (let i = 0; i < 50; i++) await callMCPTool("tools__counter"); return "all"',
      python: `for i in range(50):
    await call_mcp_tool("tools__counter")
return "all"`,
    },
    limits: { toolCalls: 5 },
    check({ result, received }) {
      assert.equal(limitOf(result), 'toolCalls');
      assert.equal(received.length, 5);
    },
  },
  {
    area: 'limits',
    name: 'the number of tool calls is limited even when they are not awaited and errors are caught',
    programs: {
      typescript:
        'for (let i = 0; i < 50; i++) callMCPTool("tools__counter").catch(() => {}); await sleep(2_000); return "all"',
      python: `for i in range(50):
    _ = call_mcp_tool("tools__counter")
await sleep(2)
return "all"`,
    },
    limits: { toolCalls: 5 },
    check({ result, received }) {
      assert.equal(limitOf(result), 'toolCalls');
      assert.ok(received.length <= 5, `${received.length} calls`);
    },
  },
  {
    area: 'limits',
    name: 'no more tool calls are in flight than allowed',
    programs: {
      typescript:
        'await Promise.all(Array.from({ length: 12 }, () => callMCPTool("tools__slow", { ms: 30 }))); return "all"',
      python: `import asyncio
await asyncio.gather(*[call_mcp_tool("tools__slow", {"ms": 30}) for _ in range(12)])
return "all"`,
    },
    limits: { parallelCalls: 3 },
    check({ result, mostInFlight }) {
      assert.equal(dataOf(result), 'all');
      assert.equal(mostInFlight(), 3);
    },
  },
  failsWith(
    'limits',
    'unbounded recursion is an error of the program',
    {
      typescript: 'const f = () => f() + 1; return f()',
      python: `def f():
    return f() + 1
f()`,
    },
    {
      kind: 'user',
    },
  ),
  {
    area: 'limits',
    name: 'unbounded recursion of every kind does not affect the next program',
    programs: {
      typescript: 'class A { get x() { return this.x } } return new A().x',
      python: `class A:
    @property
    def x(self):
        return self.x
A().x`,
    },
    async check({ result, execute, language }) {
      assert.notEqual(result.status, 'completed');
      for (const source of DEEP_PROGRAMS[language]) {
        await execute(source, { limits: { timeoutMs: 700 } });
        assert.equal(dataOf((await execute('return 1')).result), 1, source);
      }
    },
  },
];
