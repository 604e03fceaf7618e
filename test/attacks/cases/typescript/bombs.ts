import type { Attacks } from '../../attack.ts';

const attacks: Attacks = {
  'cpu-catching': {
    program: `for (;;) try { for (;;) throw 1 } catch {} finally { continue }`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'cpu-generators': {
    program: `function* g() { for (;;) yield* [1] } for (const x of g());`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'cpu-loop': {
    program: `for (;;) {}`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  // The host searches the line of the error for a suggestion.
  'hint-backtracking': {
    makeProgram: () => `/*${'a'.repeat(300_000)}*/ (void 0)();`,
    badSandbox: 'not-run',
  },
  'hostile-comparator': {
    program: `return Array.from({ length: 2e5 }, (_, i) => i).sort((a, b) => { for (let i = 0; i < 1e4; i++); return a % 2 ? 1 : -1 })[0]`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'huge-bigint': {
    program: `return (2n ** 100_000_000n).toString().length`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'json-nesting': {
    program: `const n = 1e6; return JSON.parse('['.repeat(n) + ']'.repeat(n))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'json-width': {
    program: `const value = Array(2_000_000).fill([]); await callMCPTool('tools__echo', { value }).catch(() => 0); progress(value)`,
    limits: { timeoutMs: 2_500 },
    badSandbox: 'not-run',
  },
  'memory-arrays': {
    program: `const a = []; for (;;) a.push(new Array(1_000).fill(a))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-buffers': {
    program: `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-closures': {
    program: `let f = () => 0; for (;;) { const g = f; f = () => g }`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-objects': {
    program: `const m = new Map(); for (let i = 0; ; i++) m.set({ i }, new Set([i]))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-resizable': {
    program: `const b = new ArrayBuffer(1, { maxByteLength: 2 ** 32 }); for (let n = 1; ; n *= 2) b.resize?.(n)`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-strings': {
    program: `let s = 'x'; for (;;) s += s + Math.random()`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-symbols': {
    program: `const a = []; for (let i = 0; ; i++) a.push(Symbol('x' + i), new RegExp('a' + i), BigInt(i) ** 50n)`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'microtask-flood': {
    program: `const f = () => { queueMicrotask(f); queueMicrotask(f) }; f(); await sleep(60_000)`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'module-nesting-parser': {
    program: `await fs.writeFile('m.ts', '('.repeat(400_000)); await import('/workspace/m.ts').catch(() => 0); await fs.writeFile('n.ts', 'export const n: number = 1'); return (await import('/workspace/n.ts')).n`,
    limits: { timeoutMs: 120_000 },
    judge: ({ result }) => (result.status === 'completed' ? undefined : 'the compiler is gone'),
    badSandbox: 'not-run',
  },
  'module-never-ends': {
    program: `await fs.writeFile('m.js', 'await new Promise(() => {})'); await import('/workspace/m.js')`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'promise-flood': {
    program: `const a = []; for (;;) { a.push(Promise.resolve().then(() => {})); await null }`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'recursion-getter': {
    program: `const o = { get a() { return this.a } }; return o`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'recursion-proxy': {
    program: `const p = new Proxy({}, { get: () => p, has: () => true, ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: p, enumerable: true, configurable: true }) }); console.log(p); return p`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'recursion-to-json': {
    program: `const f = () => ({ toJSON: f }); const g = () => ({ get a() { return g() } }); return [f(), g()]`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  recursion: {
    program: `const f = (n) => f(n + 1) + f(n); return f(0)`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'regular-expression': {
    program: `return /^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(50))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  // The stack of the parser is in the host.
  'source-chain-parser': {
    makeProgram: () => `return 1${'+1'.repeat(200_000)}`,
    badSandbox: 'not-run',
  },
  // The stack of the parser is in the host.
  'source-nesting-parser': {
    program: '['.repeat(200_000),
    badSandbox: 'not-run',
  },
  'source-nesting': {
    program: `return eval('('.repeat(200_000))`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'string-doubling': {
    program: `let s = 'x'; for (;;) s += s`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-web-assembly': {
    program: `const kept = [];
for (;;) { const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 }); memory.grow(10_000); new Uint8Array(memory.buffer).fill(1); kept.push(memory) }`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'cpu-web-assembly': {
    program: `const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]);
new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f();`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
  'memory-shared-buffers': {
    program: `const kept = [];
for (;;) kept.push(new Uint8Array(new SharedArrayBuffer(1 << 24)).fill(1))`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'memory-one-huge-buffer': {
    program: `const sizes = [2 ** 33, 2 ** 32, 2 ** 31, 2 ** 30, 2 ** 29];
const kept = [];
for (const size of sizes) try { const buffer = new Uint8Array(size); for (let at = 0; at < size; at += 4096) buffer[at] = 1; kept.push(buffer) } catch {}
return kept.length;`,
    limits: { timeoutMs: 1_500 },
    judge: ({ result }) =>
      result.status === 'completed' && Number(result.value) > 0 ? 'typed arrays are not limited' : undefined,
    badSandbox: 'not-run',
  },
  'memory-map-too-large': {
    program: `const map = new Map(); for (let i = 0; ; i++) map.set(i, i)`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'memory-joined': {
    program: `return Array(2 ** 27).join('abcdefgh').length + 'x'.padEnd(2 ** 29 - 30).repeat(1).length`,
    limits: { timeoutMs: 800 },
    badSandbox: 'not-run',
  },
  'recursion-in-native-code': {
    program: `let nested = [];
for (let i = 0; i < 200_000; i++) nested = [nested];
const results = [];
for (const work of [() => String(nested), () => JSON.stringify(nested), () => nested.flat(Infinity), () => new RegExp('('.repeat(100_000) + ')'.repeat(100_000)), () => JSON.parse('['.repeat(1e6)), () => structuredClone(nested)])
  try { work(); results.push(1) } catch (error) { results.push(error.name) }
return results;`,
    limits: { timeoutMs: 1_500 },
    badSandbox: 'not-run',
  },
  'atomics-wait-for-ever': {
    program: `try { Atomics.waitAsync?.(new Int32Array(new SharedArrayBuffer(8)), 0, 0) } catch {}
Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0); return 1`,
    limits: { timeoutMs: 300 },
    badSandbox: 'not-run',
  },
};

export default attacks;
