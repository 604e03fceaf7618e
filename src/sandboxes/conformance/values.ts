import assert from 'node:assert/strict';
import { type ConformanceCase, dataOf, fails, gives } from './case.ts';

function survives(name: string, typescript: string): ConformanceCase {
  return {
    area: 'bridge',
    name: `${name} does no harm`,
    programs: { typescript },
    limits: { timeoutMs: 1_000 },
    async check({ execute }) {
      const source = 'return callMCPTool("tools__echo", { value: { a: 1 } })';
      const { result } = await execute(source, { limits: { timeoutMs: 5_000 } });
      assert.deepEqual(dataOf(result), { a: 1 });
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    },
  };
}

/** Values that are hard to carry across a bridge. */
export const VALUE_CASES: readonly ConformanceCase[] = [
  gives(
    'bridge',
    'text of every kind arrives unchanged',
    `const texts = ['', 'é€😀', '\\u2028\\u2029', '\\0\\x01\\x1f', '</script>', '"\\\\\\'\`$&$1', '\\ufeff', '\\u{10ffff}'];
return [JSON.stringify(await callMCPTool('tools__echo', { value: texts })) === JSON.stringify(texts), texts.length];`,
    [true, 8],
  ),
  gives(
    'bridge',
    'a lone surrogate arrives as text',
    "const back = await callMCPTool('tools__echo', { value: 'a\\ud800b' }); return [back.length, back[0], back[2]]",
    [3, 'a', 'b'],
  ),
  gives(
    'bridge',
    'NaN, Infinity and undefined become what JSON makes of them',
    'return callMCPTool("tools__echo", { value: [NaN, Infinity, -0, undefined, () => 1, Symbol.iterator, 1e308] })',
    [null, null, 0, null, null, null, 1e308],
  ),
  gives(
    'bridge',
    'sparse arrays are filled with null',
    'const a = []; a[3] = 1; return callMCPTool("tools__echo", { value: a })',
    [null, null, null, 1],
  ),
  gives(
    'bridge',
    'names of the prototype are ordinary keys',
    `const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"hasOwnProperty":3}');
const back = await callMCPTool('tools__echo', { value });
return [Object.keys(back), back.polluted === undefined, ({}).polluted === undefined];`,
    [['__proto__', 'constructor', 'hasOwnProperty'], true, true],
  ),
  fails('bridge', 'a BigInt argument is an error of the program', 'await callMCPTool("tools__echo", { value: 1n })', {
    name: 'TypeError',
    line: 1,
  }),
  fails(
    'bridge',
    'a cyclic argument is an error of the program',
    'const a = {}; a.a = a; await callMCPTool("tools__echo", { value: a })',
    { name: 'TypeError' },
  ),
  gives(
    'bridge',
    'getters, proxies and toJSON are read once',
    `let reads = 0;
const value = { get a() { return ++reads } };
const first = await callMCPTool('tools__echo', { value });
const proxy = new Proxy({ b: 1 }, { get: (target, key) => key === 'toJSON' ? undefined : target[key] });
return [first, reads, await callMCPTool('tools__echo', { value: proxy }), await callMCPTool('tools__echo', { value: { toJSON: () => 'mine' } })];`,
    [{ a: 1 }, 1, { b: 1 }, 'mine'],
  ),
  gives(
    'bridge',
    'values with a then key stay data',
    `const there = { then: 1, a: 2 };
return [JSON.stringify(await callMCPTool('tools__echo', { value: there })), JSON.stringify(await callMCPTool('tools__echo', { value: [there] }))];`,
    ['{"then":1,"a":2}', '[{"then":1,"a":2}]'],
  ),
  gives(
    'bridge',
    'a large value crosses',
    'const value = Array.from({ length: 50_000 }, (_, i) => ({ i }));\nconst back = await callMCPTool("tools__echo", { value }); return [back.length, back.at(-1).i]',
    [50_000, 49_999],
  ),
  gives(
    'bridge',
    'a text of 100 MB is refused or carried, and the program goes on',
    `let text = 'x'.repeat(1024); let refused = false;
try { while (text.length < 1e8) text += text; await callMCPTool('tools__echo', { value: text }) } catch { refused = true }
text = '';
return [refused, await callMCPTool('tools__echo', { value: 1 })];`,
    [true, 1],
    { memoryBytes: 512 * 1024 * 1024, timeoutMs: 60_000 },
  ),
  survives(
    'a getter that throws',
    'await callMCPTool("tools__echo", { value: { get a() { throw new Error("mine") } } })',
  ),
  survives(
    'a proxy that throws for everything',
    "return new Proxy({}, new Proxy({}, { get() { throw new Error('trap') } }))",
  ),
  survives(
    'overriding JSON',
    'JSON.stringify = () => \'["call","tools__fail",{}]\'; JSON.parse = () => { throw 1 }; return callMCPTool(\'tools__echo\', { value: 1 })',
  ),
  survives(
    'overriding Promise',
    'globalThis.Promise = class {}; Object.getPrototypeOf(async () => {}).constructor = null; return 1',
  ),
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
    name: 'the program cannot take the API away from its imports',
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
