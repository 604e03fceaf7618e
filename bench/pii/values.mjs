// Measures the cost of redaction per value: node bench/pii/values.mjs [runs]. Needs a build. JSON on stdout. Times are medians of processor time. A
// run redacts 1,000 rows with 2,000 values: new ones, the same ones again (known), and one small answer of two known values. All must be
// restored exactly, and so must 20,000 rows. Then a program in QuickJS reads the rows, with `pii.mode: off` and without, by turns.
import { deepStrictEqual } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDetection } from '../../packages/pii/build/detection/detection.js';
import { createRedactors } from '../../packages/pii/build/redaction/redactors.js';
import { keyringOf } from '../../packages/pii/build/vault/keys/master-key.js';
import { memoryStore } from '../../packages/pii/dist/vault/memory-store.js';
import { sqliteStore } from '../../packages/storage/build/sqlite.js';
import { createToolwright } from '../../packages/toolwright/dist/index.js';
import { round } from '../measure.mjs';

const RUNS = Number(process.argv[2] ?? 15);
const ROWS = 1_000;
const MANY_ROWS = 20_000;
const PROGRAM = 'const rows = await callMCPTool("crm__rows", {}); return rows.length';
const FIRST = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Margaret', 'Dennis', 'Radia', 'Niklaus'];
const LAST = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Hamilton', 'Ritchie', 'Perlman', 'Wirth'];
const keys = keyringOf([randomBytes(32).toString('hex')], 'the benchmark');
const options = {
  detection: createDetection(),
  policy: { tools: { '*': { '*': 'allow' } } },
  audit: () => undefined,
  ignored: new Set(),
  clear: new Set(),
};

function rowsOf(seed, size = ROWS) {
  return Array.from({ length: size }, (_, index) => {
    const [first, last] = [FIRST[index % 10], LAST[Math.floor(index / 10) % 10]];
    return {
      id: seed * ROWS + index,
      email: `${first}.${last}.${seed}.${index}@example${index % 97}.com`.toLowerCase(),
      phone: `+1 415 ${200 + (seed % 700)} ${String(1000 + index)}`,
      plan: index % 3 === 0 ? 'team' : 'free',
      created_at: '2026-03-01T10:00:00Z',
      total: index / 4,
    };
  });
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

async function measure(store) {
  const redactors = createRedactors({ ...options, memory: store, open: () => ({ store, keys }) });
  const figures = { newValueUs: [], knownValueUs: [], smallAnswerUs: [], detectionOfRowsMs: [] };
  const timed = async (figure, scale, task) => {
    const before = cpuMs();
    await task();
    figures[figure].push((cpuMs() - before) * scale);
  };
  for (let run = 0; run < RUNS; run++) {
    const redactor = redactors.of({ user: 'bench', session: randomUUID() }, true);
    const rows = rowsOf(run);
    await timed('newValueUs', 1_000 / (2 * ROWS), () => redactor.redactResult(rows, { server: 'crm' }));
    await timed('knownValueUs', 1_000 / (2 * ROWS), () => redactor.redactResult(rows, { server: 'crm' }));
    await timed('detectionOfRowsMs', 1, () => options.detection.detectValue(rows));
    await timed('smallAnswerUs', 10, async () => {
      for (let index = 0; index < 100; index++) await redactor.redactResult(rows[index], { server: 'crm' });
    });
  }
  return Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, spread(all)]));
}

/** Redacts many rows, twice, and restores them. Raises an error if a row differs. */
async function roundTrip(store) {
  const redactors = createRedactors({ ...options, memory: store, open: () => ({ store, keys }) });
  const redactor = redactors.of({ user: 'bench', session: randomUUID() }, true);
  const rows = rowsOf(1, MANY_ROWS);
  const { guestValue } = await redactor.redactResult(rows, { server: 'crm' });
  deepStrictEqual((await redactor.redactResult(rows, { server: 'crm' })).guestValue, guestValue);
  deepStrictEqual(await redactor.restoreFor(guestValue, 'crm__send'), rows);
  return rows.length;
}

/** Returns the milliseconds of a program that reads new rows, and rows that its session knows. */
async function measureProgram() {
  const run = async (toolwright, session) => {
    const before = cpuMs();
    const { status, value } = await toolwright.execute(PROGRAM, { sessionId: session });
    if (status !== 'completed' || value !== ROWS) throw new Error(`The program is ${status}.`);
    return cpuMs() - before;
  };
  let rows = rowsOf(0);
  const tools = {
    crm: { tools: { rows: { description: 'Reads', inputSchema: { type: 'object' }, run: () => rows } } },
  };
  const open = (name, settings) =>
    createToolwright({ tools, sandbox: 'quickjs', dataDir: join(folder, name), check: false, ...settings });
  const all = { on: await open('on', {}), off: await open('off', { pii: { mode: 'off' } }) };
  const figures = { newOn: [], newOff: [], knownOn: [], knownOff: [] };
  for (let index = 0; index < RUNS; index++) {
    rows = rowsOf(index);
    for (const name of ['On', 'Off']) {
      const toolwright = all[name.toLowerCase()];
      const { id: session } = await toolwright.sessions.create();
      figures[`new${name}`].push(await run(toolwright, session));
      figures[`known${name}`].push(await run(toolwright, session));
    }
  }
  await all.on.close();
  await all.off.close();
  const ms = Object.fromEntries(Object.entries(figures).map(([name, times]) => [name, spread(times)]));
  const ratio = (name) => round(ms[`${name}On`].p50 / ms[`${name}Off`].p50);
  return { ms, timesOfOff: { new: ratio('new'), known: ratio('known') } };
}

function spread(all) {
  const sorted = all.sort((a, b) => a - b);
  return { p50: round(sorted[Math.floor(sorted.length / 2)]), min: round(sorted[0]) };
}

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
try {
  const sqlite = sqliteStore({ path: join(folder, 'store.db') });
  const report = {
    load: loadavg()[0],
    memory: await measure(memoryStore()),
    sqlite: await measure(sqlite),
    program: await measureProgram(),
    restoredRows: await roundTrip(memoryStore()),
  };
  console.log(JSON.stringify(report, null, 2));
  await sqlite[Symbol.asyncDispose]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
