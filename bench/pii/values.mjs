// Measures the cost of redaction per value: node bench/pii/values.mjs [runs]. Needs a build. JSON on stdout. Times are medians of processor time. A
// run redacts 1,000 rows with 2,000 values: new ones, the same ones again (known), and one small answer of two known values.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../../packages/core/dist/stores/sqlite.js';
import { createDetection } from '../../packages/pii/dist/detection/detection.js';
import { createRedactors } from '../../packages/pii/dist/redaction/redactors.js';
import { keyringOf } from '../../packages/pii/dist/vault/master-key.js';
import { memoryStore } from '../../packages/pii/dist/vault/memory-store.js';
import { round } from '../measure.mjs';

const RUNS = Number(process.argv[2] ?? 15);
const ROWS = 1_000;
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

function rowsOf(seed) {
  return Array.from({ length: ROWS }, (_, index) => {
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

function spread(all) {
  const sorted = all.sort((a, b) => a - b);
  return { p50: round(sorted[Math.floor(sorted.length / 2)]), min: round(sorted[0]) };
}

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
try {
  const sqlite = sqliteStore({ path: join(folder, 'store.db') });
  console.log(JSON.stringify({ memory: await measure(memoryStore()), sqlite: await measure(sqlite) }, null, 2));
  await sqlite[Symbol.asyncDispose]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
