// Measures the longest turn of the event loop while large values are redacted and restored, per value and store:
// node bench/pii/turns.mjs [runs]. Needs a build. JSON on stdout, milliseconds of processor time. The first run of each value warms the compiler.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDetection } from '../../packages/pii/build/detection/detection.js';
import { createRedactors } from '../../packages/pii/build/redaction/redactors.js';
import { keyringOf } from '../../packages/pii/build/vault/keys/master-key.js';
import { memoryStore } from '../../packages/pii/dist/vault/memory-store.js';
import { sqliteStore } from '../../packages/storage/build/sqlite.js';
import { round } from '../measure.mjs';
import { LARGE } from './large.mjs';

const RUNS = Number(process.argv[2] ?? 3);
const keys = keyringOf([randomBytes(32).toString('hex')], 'the benchmark');
const tools = { '*': { '*': 'allow' } };
const options = {
  detection: createDetection(),
  policy: { tools },
  audit: () => undefined,
  ignored: new Set(),
  clear: new Set(),
};

/** Runs `task` and returns the most processor time between two turns of the event loop, and the whole time. */
async function longestTurn(task) {
  let [longest, isEnded] = [0, false];
  let last = cpuMs();
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isEnded) setImmediate(look);
  };
  const started = last;
  setImmediate(look);
  await task();
  isEnded = true;
  return { longest: Math.max(longest, cpuMs() - last), all: cpuMs() - started };
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

async function measure(store, value) {
  const redactors = createRedactors({ ...options, memory: store, open: () => ({ store, keys }) });
  const figures = {
    resultMs: 0,
    resultTurnMs: 0,
    redactTurnMs: 0,
    restoreMs: 0,
    restoreTurnMs: 0,
    parseMs: 0,
    stringifyMs: 0,
  };
  const worst = (name, ms) => {
    figures[name] = round(Math.max(figures[name], ms), 1);
  };
  for (let run = 0; run <= RUNS; run++) {
    const redactor = redactors.of({ user: 'ada', session: randomUUID() }, true);
    let redacted;
    const result = await longestTurn(async () => {
      redacted = (await redactor.redactResult(value, { server: 'crm' })).guestValue;
    });
    const again = await longestTurn(() => redactor.redact(redacted));
    const restore = await longestTurn(() => redactor.restoreFor(redacted, 'crm__send'));
    let started = performance.now();
    const text = JSON.stringify(value);
    const stringifyMs = performance.now() - started;
    started = performance.now();
    JSON.parse(text);
    const parseMs = performance.now() - started;
    if (run === 0) continue;
    worst('resultMs', result.all);
    worst('resultTurnMs', result.longest);
    worst('redactTurnMs', again.longest);
    worst('restoreMs', restore.all);
    worst('restoreTurnMs', restore.longest);
    worst('stringifyMs', stringifyMs);
    worst('parseMs', parseMs);
  }
  return figures;
}

const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const stores = { memory: memoryStore(), sqlite: sqliteStore({ path: join(folder, 'store.db') }) };
const report = {};
for (const [name, store] of Object.entries(stores)) {
  report[name] = {};
  for (const [shape, make] of Object.entries(LARGE)) report[name][shape] = await measure(store, make());
  await store[Symbol.asyncDispose]();
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify(report, null, 2));
