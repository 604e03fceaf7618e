import type { Table } from './modules.ts';

export const STREAMS: Table = {
  imports: `import { Readable, Writable, Transform, PassThrough, pipeline } from 'node:stream'; import { pipeline as piped } from 'stream/promises'; import readline from 'node:readline'; import { setTimeout as wait, setInterval as every } from 'node:timers/promises'; import { EOL } from 'os';`,
  expressions: [
    '(async () => { const seen = []; for await (const x of Readable.from(["a", "b"])) seen.push(x); return seen })()',
    '(async () => { const seen = []; await piped(Readable.from(["a", "b"]), new Transform({ transform(x, e, done) { done(null, String(x).toUpperCase()) } }), new Writable({ write(x, e, done) { seen.push(x.toString()); done() } })); return seen })()',
    '(async () => { await piped(Readable.from(["a"]), new Writable({ write(x, e, done) { done(new RangeError("full")) } })) })()',
    'new Promise((resolve) => pipeline(Readable.from(["x"]), new PassThrough(), (error) => resolve(error?.name)).resume())',
    '(async () => { const r = new Readable({ read() {} }); r.push("ab"); r.push(null); r.setEncoding("utf8"); let text = ""; for await (const x of r) text += x; return text })()',
    '(async () => { const r = Readable.from([Buffer.from([0xe2]), Buffer.from([0x82, 0xac])]); r.setEncoding("utf8"); let text = ""; for await (const x of r) text += x; return text })()',
    '(async () => { const seen = []; for await (const line of readline.createInterface({ input: Readable.from(["a\\nb", "c\\r\\nd\\n\\ne"]) })) seen.push(line); return seen })()',
    'new Promise((resolve) => { const seen = []; const r = readline.createInterface({ input: Readable.from(["1\\n2\\n"]), crlfDelay: Infinity }); r.on("line", (line) => seen.push(line)); r.on("close", () => resolve(seen)) })',
    '(async () => { const seen = []; for await (const line of readline.createInterface(Readable.from(["x"]))) seen.push(line); return seen })()',
    'wait(1, "value")',
    'wait(1000, 1, { signal: AbortSignal.abort() })',
    '(async () => { let n = 0; for await (const x of every(1, 7)) if (++n === 2) return x })()',
    'EOL',
    'Readable.from([1, 2, 3]).map((x) => x * 2).toArray()',
    'new Readable() instanceof Readable',
    '(async () => { const p = new PassThrough(); p.end("done"); const parts = []; p.on("data", (x) => parts.push(x)); await new Promise((resolve) => p.on("end", resolve)); return Buffer.concat(parts).toString() })()',
  ],
};
