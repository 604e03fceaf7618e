import assert from 'node:assert/strict';
import { type ConformanceCase, dataOf, fails, limitOf } from './case.ts';

/** Far above what is measured (see `bench/speed.mjs`): a busy machine must not fail the suite. */
const OVERSHOOT_MS = 5_000;
const TIMEOUT_MS = 300;
const MEMORY_BYTES = 48 * 1024 * 1024;

function timesOut(name: string, typescript: string): ConformanceCase {
  return {
    area: 'limits',
    name: `the time limit ends ${name}`,
    programs: { typescript },
    limits: { timeoutMs: TIMEOUT_MS },
    async check({ result, execute }) {
      assert.equal(limitOf(result), 'timeout', JSON.stringify(result).slice(0, 500));
      assert.ok(result.stats.runMs < TIMEOUT_MS + OVERSHOOT_MS, `${result.stats.runMs} ms`);
      assert.equal(dataOf((await execute('return 1', { limits: { timeoutMs: 30_000 } })).result), 1);
    },
  };
}

function runsOutOfMemory(name: string, typescript: string): ConformanceCase {
  return {
    area: 'limits',
    name: `the memory limit ends ${name}`,
    programs: { typescript },
    limits: { memoryBytes: MEMORY_BYTES },
    async check({ result, execute }) {
      // An engine may refuse one huge value with an error of the language instead.
      const refused = result.status === 'failed' && /memory|length|size|alloc/i.test(result.error.message);
      assert.ok(limitOf(result) === 'memory' || refused, JSON.stringify(result).slice(0, 500));
      assert.equal(dataOf((await execute('return 1')).result), 1);
    },
  };
}

/** Time, memory and calls. */
export const LIMIT_CASES: readonly ConformanceCase[] = [
  timesOut('a busy loop', 'for (;;) {}'),
  timesOut('an async loop', 'for (;;) await null'),
  timesOut('a loop of tool calls', 'for (;;) await callMCPTool("tools__echo", { value: 1 })'),
  timesOut('a loop of microtasks', 'const again = () => queueMicrotask(again); again(); await sleep(60_000)'),
  timesOut('a wait', 'await sleep(60_000)'),
  timesOut('a wait for a tool', 'await callMCPTool("tools__stubborn", { ms: 1_500 })'),
  timesOut('a loop that catches everything', 'for (;;) { try { for (;;) { null.x } } catch {} }'),
  timesOut(
    'a loop that catches everything, async',
    'for (;;) { try { await Promise.reject(1) } catch {} finally { continue } }',
  ),
  timesOut('a regular expression that backtracks', "return /^(a+)+$/.test('a'.repeat(40) + '!')"),
  timesOut(
    'a sort that never ends',
    'const a = Array.from({ length: 1e5 }, (_, i) => i); for (;;) a.sort(() => Math.random() - 0.5)',
  ),
  timesOut('a getter that never ends', 'return { get a() { for (;;) {} } }'),
  timesOut('a toJSON that never ends', 'return { toJSON() { for (;;) {} } }'),
  timesOut('a module that never ends', "await fs.writeFile('m.js', 'for (;;) {}'); await import('/workspace/m.js')"),
  runsOutOfMemory('growing arrays', 'const a = []; for (;;) a.push(new Array(1000).fill(1))'),
  runsOutOfMemory('growing strings', "const a = []; for (;;) a.push('x'.repeat(100_000) + a.length)"),
  runsOutOfMemory('typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(1_000_000).fill(1))'),
  runsOutOfMemory('a growing Map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })'),
  runsOutOfMemory('one huge buffer', 'return new Uint8Array(1_000_000_000).fill(1).length'),
  {
    area: 'limits',
    name: 'the number of tool calls is limited',
    programs: { typescript: 'for (let i = 0; i < 50; i++) await callMCPTool("tools__counter"); return "all"' },
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
    },
    limits: { parallelCalls: 3 },
    check({ result, mostInFlight }) {
      assert.equal(dataOf(result), 'all');
      assert.equal(mostInFlight(), 3);
    },
  },
  fails('limits', 'runaway recursion is an error of the program', 'const f = () => f() + 1; return f()', {
    kind: 'guest',
  }),
  {
    area: 'limits',
    name: 'runaway recursion of every kind leaves the next program healthy',
    programs: { typescript: 'class A { get x() { return this.x } } return new A().x' },
    async check({ result, execute }) {
      assert.notEqual(result.status, 'completed');
      const others = [
        'const a = []; let b = a; for (let i = 0; i < 1e5; i++) { b[0] = []; b = b[0] } return JSON.stringify(a).length',
        "return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)).length",
        'const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x',
        "const o = { toString: () => o + '' }; return o + ''",
        "return new RegExp('('.repeat(50_000) + ')'.repeat(50_000)).test('x')",
        "return eval('('.repeat(50_000) + '1' + ')'.repeat(50_000))",
        'const f = async () => { await f() }; await f()',
        'return [1, 2].sort(function compare() { return [1, 2].sort(compare) })',
        'const deep = (n) => ({ get a() { return deep(n + 1) } }); return deep(0)',
      ];
      for (const source of others) {
        await execute(source, { limits: { timeoutMs: 700 } });
        assert.equal(dataOf((await execute('return 1')).result), 1, source);
      }
    },
  },
];
