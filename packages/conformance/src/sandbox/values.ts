import assert from 'node:assert/strict';
import type { LanguageName } from '@toolwright/sandbox';
import { completesWith, dataOf, failsWith, type Programs, programsOf, type SandboxCase } from './case.ts';

const ECHO: Readonly<Record<LanguageName, string>> = {
  typescript: 'return callMCPTool("tools__echo", { value: { a: 1 } })',
  python: 'return call_mcp_tool("tools__echo", {"value": {"a": 1}})',
};

/** Creates a case whose program may end in any way, but harms no other program. */
function survives(name: string, programs: Programs): SandboxCase {
  return {
    area: 'bridge',
    name: `${name} does no harm`,
    programs: programsOf(programs),
    limits: { timeoutMs: 1_000 },
    async check({ execute, language }) {
      const { result } = await execute(ECHO[language], { limits: { timeoutMs: 30_000 } });
      assert.deepEqual(dataOf(result), { a: 1 });
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    },
  };
}

/** Values that are difficult to transfer across a bridge. */
export const VALUE_CASES: readonly SandboxCase[] = [
  completesWith(
    'bridge',
    'text of every kind arrives unchanged',
    {
      typescript: `const texts = ['', 'é€😀', '\\u2028\\u2029', '\\0\\x01\\x1f', '</script>', '"\\\\\\'\`$&$1', '\\ufeff', '\\u{10ffff}'];
return [JSON.stringify(await callMCPTool('tools__echo', { value: texts })) === JSON.stringify(texts), texts.length];`,
      python: `texts = ["", "é€😀", "\\u2028\\u2029", "\\0\\x01\\x1f", "</script>", "\\"\\\\'\`$&$1", "\\ufeff", "\\U0010ffff"]
[await call_mcp_tool("tools__echo", {"value": texts}) == texts, len(texts)]`,
    },
    [true, 8],
  ),
  completesWith(
    'bridge',
    'a lone surrogate arrives as text',
    {
      typescript:
        "const back = await callMCPTool('tools__echo', { value: 'a\\ud800b' }); return [back.length, back[0], back[2]]",
      python: `back = await call_mcp_tool("tools__echo", {"value": "a\\ud800b"})
[len(back), back[0], back[2]]`,
    },
    [3, 'a', 'b'],
  ),
  completesWith(
    'bridge',
    'NaN, Infinity and undefined become their JSON forms',
    {
      typescript:
        'return callMCPTool("tools__echo", { value: [NaN, Infinity, -0, undefined, () => 1, Symbol.iterator, 1e308] })',
      python:
        'await call_mcp_tool("tools__echo", {"value": [float("nan"), float("inf"), -0.0, None, None, None, 1e308]})',
    },
    [null, null, 0, null, null, null, 1e308],
  ),
  completesWith(
    'bridge',
    'sparse arrays are filled with null',
    'const a = []; a[3] = 1; return callMCPTool("tools__echo", { value: a })',
    [null, null, null, 1],
  ),
  completesWith(
    'bridge',
    'names of the prototype are ordinary keys',
    {
      typescript: `const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"hasOwnProperty":3}');
const back = await callMCPTool('tools__echo', { value });
return [Object.keys(back), back.polluted === undefined, ({}).polluted === undefined];`,
      python: `value = {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}, "hasOwnProperty": 3}
back = await call_mcp_tool("tools__echo", {"value": value})
[list(back), "polluted" not in back, back == value]`,
    },
    [['__proto__', 'constructor', 'hasOwnProperty'], true, true],
  ),
  completesWith(
    'bridge',
    'whole numbers beyond 2^53 keep their digits',
    {
      typescript:
        'return [await callMCPTool("tools__echo", { value: 1917043659912705296n }), await callMCPTool("tools__echo", { value: 7n })]',
      python:
        'first = await call_mcp_tool("tools__echo", {"value": 1917043659912705296})\nresult = [str(first + 1 - 1), 7]',
    },
    ['1917043659912705296', 7],
  ),
  failsWith(
    'bridge',
    'a cyclic argument is an error of the program',
    {
      typescript: 'const a = {}; a.a = a; await callMCPTool("tools__echo", { value: a })',
      python: `a = {}
a["a"] = a
await call_mcp_tool("tools__echo", {"value": a})`,
    },
    { name: 'TypeError' },
  ),
  completesWith(
    'bridge',
    'getters, proxies and toJSON are read once',
    `let reads = 0;
const value = { get a() { return ++reads } };
const first = await callMCPTool('tools__echo', { value });
const proxy = new Proxy({ b: 1 }, { get: (target, key) => key === 'toJSON' ? undefined : target[key] });
return [first, reads, await callMCPTool('tools__echo', { value: proxy }), await callMCPTool('tools__echo', { value: { toJSON: () => 'mine' } })];`,
    [{ a: 1 }, 1, { b: 1 }, 'mine'],
  ),
  completesWith(
    'bridge',
    'values with a then key stay data',
    `const there = { then: 1, a: 2 };
return [JSON.stringify(await callMCPTool('tools__echo', { value: there })), JSON.stringify(await callMCPTool('tools__echo', { value: [there] }))];`,
    ['{"then":1,"a":2}', '[{"then":1,"a":2}]'],
  ),
  completesWith(
    'bridge',
    'a large value crosses the bridge',
    {
      typescript:
        'const value = Array.from({ length: 50_000 }, (_, i) => ({ i }));\nconst back = await callMCPTool("tools__echo", { value }); return [back.length, back.at(-1).i]',
      python: `back = await call_mcp_tool("tools__echo", {"value": [{"i": i} for i in range(50_000)]})
[len(back), back[-1]["i"]]`,
    },
    [50_000, 49_999],
  ),
  completesWith(
    'bridge',
    'a text of 100 MB is refused or transferred, and the program continues',
    {
      typescript: `let text = 'x'.repeat(1024); let refused = false;
try { while (text.length < 1e8) text += text; await callMCPTool('tools__echo', { value: text }) } catch { refused = true }
text = '';
return [refused, await callMCPTool('tools__echo', { value: 1 })];`,
      python: `refused = False
text = "x" * 1024
try:
    while len(text) < 1e8:
        text += text
    await call_mcp_tool("tools__echo", {"value": text})
except Exception:
    refused = True
del text
[refused, await call_mcp_tool("tools__echo", {"value": 1})]`,
    },
    [true, 1],
    { memoryBytes: 512 * 1024 * 1024, timeoutMs: 180_000 },
  ),
  survives('a getter that throws', {
    typescript: 'await callMCPTool("tools__echo", { value: { get a() { throw new Error("mine") } } })',
    python: `class Bad(dict):
    def items(self):
        raise ValueError("mine")
await call_mcp_tool("tools__echo", {"value": Bad(a=1)})`,
  }),
  survives('a proxy that throws for everything', {
    typescript: "return new Proxy({}, new Proxy({}, { get() { throw new Error('trap') } }))",
    python: `class Bad:
    def __getattribute__(self, name):
        raise ValueError("trap")
return Bad()`,
  }),
  survives('overriding JSON', {
    typescript:
      'JSON.stringify = () => \'["call","tools__fail",{}]\'; JSON.parse = () => { throw 1 }; return callMCPTool(\'tools__echo\', { value: 1 })',
    python: `import json
json.dumps = json.loads = json.JSONEncoder = json.JSONDecoder = None
await call_mcp_tool("tools__echo", {"value": 1})`,
  }),
  survives('overriding Promise', {
    typescript: 'globalThis.Promise = class {}; Object.getPrototypeOf(async () => {}).constructor = null; return 1',
    python: `import asyncio
asyncio.Future = asyncio.Task = asyncio.get_running_loop = asyncio.new_event_loop = None
await call_mcp_tool("tools__echo", {"value": 1})`,
  }),
  survives(
    'overriding then',
    "Promise.prototype.then = function () { return this }; await 1; return callMCPTool('tools__echo', { value: 1 })",
  ),
  survives(
    'overriding Array.prototype',
    "Array.prototype.map = Array.prototype[Symbol.iterator] = Array.prototype.join = () => { throw 1 }; console.log('x'); return callMCPTool('tools__echo', { value: 1 })",
  ),
  survives(
    'toJSON on every prototype',
    "Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => ({ polluted: 1 }); console.log('x'); return callMCPTool('tools__echo', { value: 1 })",
  ),
  survives(
    'setters on Object.prototype',
    "for (const key of ['resolve', 'reject', 'error', 'value', 'then', 'name', 'payload']) Object.defineProperty(Object.prototype, key, { set() { throw 1 }, get() { return undefined }, configurable: true }); return callMCPTool('tools__echo', { value: 1 })",
  ),
  survives(
    'a result that changes while it is read',
    'let n = 0; return new Proxy([], { get: (t, k) => k === "length" ? 1e9 : n++, ownKeys: () => [] })',
  ),
  {
    area: 'bridge',
    name: 'the program cannot remove the API from its imports',
    programs: {
      typescript: `const taken = [];
try { globalThis.callMCPTool = () => 'mine' } catch { taken.push('refused') }
const { echo } = await import('./servers/tools/index.js');
return [await echo({ value: 5 }), taken];`,
    },
    check: ({ result, received }) => {
      assert.deepEqual(dataOf(result), [5, ['refused']]);
      assert.equal(received.length, 1);
    },
  },
];
