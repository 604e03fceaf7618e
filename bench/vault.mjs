// node bench/vault.mjs [values]: measures placeholder allocation per store, redaction, restoring and the redaction of known
// values. Counts placeholders with two values, which must be 0.

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKnownValueRedactor } from '../packages/pii/build/redaction/known-value-redactor.js';
import { redactFindings } from '../packages/pii/build/redaction/redact.js';
import { restore } from '../packages/pii/build/redaction/restore.js';
import { keyringOf } from '../packages/pii/build/vault/keys/master-key.js';
import { openVault } from '../packages/pii/build/vault/vault.js';
import { memoryStore } from '../packages/pii/dist/vault/memory-store.js';
import { redisStore } from '../packages/storage/build/redis.js';
import { sqliteStore } from '../packages/storage/build/sqlite.js';
import { median, percentiles, round, time } from './measure.mjs';

const VALUES = Number(process.argv[2] ?? 1_000_000);
const BATCH = 10_000;
const SINGLE = 300;
const TYPES = new Set(['EMAIL']);
const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const keys = keyringOf([randomBytes(32).toString('hex')], 'the benchmark');
const options = { types: TYPES, policy: {}, audit: () => undefined, tool: 'a__b', server: 'a' };
const email = (index) => ({ type: 'EMAIL', text: `user${index}@example${index % 97}.com` });
const progress = (text) => process.stderr.write(`${text}\n`);
let sessions = 0;
const vaultIn = (store) => openVault({ store, keys, user: 'bench', session: `s${++sessions}` });

/** Measures values per second in batches, and the milliseconds of a new value, a known value and a restore. */
async function allocation(store, count) {
  const vault = vaultIn(store);
  const names = new Set();
  const elapsed = await time(async () => {
    for (let at = 0; at < count; at += BATCH) {
      const values = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => email(at + index));
      for (const name of await vault.allocate(values)) names.add(name);
    }
  });
  const samples = { new: [], known: [], restore: [] };
  for (let index = 0; index < SINGLE; index++) {
    samples.new.push(await time(() => vault.allocate([email(count + index)])));
    samples.known.push(await time(() => vault.allocate([email(count + index)])));
    samples.restore.push(await time(() => restore({ to: '[EMAIL_1]' }, { ...options, vault })));
  }
  return {
    values: count,
    collisions: count - names.size,
    perSecond: round((count / elapsed) * 1_000, 0),
    newValueMs: percentiles(samples.new),
    knownValueMs: percentiles(samples.known),
    restoreOneMs: percentiles(samples.restore),
  };
}

async function startRedis() {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  const socket = join(folder, 'redis');
  const settings = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder];
  const server = spawn('redis-server', settings, { stdio: 'ignore' });
  while (!statSync(socket, { throwIfNoEntry: false })) await sleep(20);
  return { store: redisStore({ url: socket }), stop: () => server.kill() };
}

async function rates() {
  const vault = vaultIn(memoryStore());
  const rows = Array.from({ length: 5_000 }, (_, index) => {
    return {
      id: index,
      email: email(index).text,
      note: 'An order of 3 items, paid on time, [sent] by post.',
      total: 12.5,
    };
  });
  const size = JSON.stringify(rows).length / 1e6;
  const findings = rows.map(({ email }, index) => ({
    path: [index, 'email'],
    value: email,
    spans: [{ start: 0, end: email.length, type: 'EMAIL' }],
  }));
  const firstMs = await time(() => redactFindings(rows, findings, { vault, types: TYPES }));
  const redacted = await redactFindings(rows, findings, { vault, types: TYPES });
  const megabytesPerSecond = async (work) => round((size / (await median(7, work))) * 1_000, 1);
  const thousand = Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(108)} [EMAIL_${index + 1}]`).join('\n');
  const knownValueRedactor = createKnownValueRedactor(vault);
  const [clean, raw] = [JSON.stringify(redacted), JSON.stringify(rows)];
  await knownValueRedactor.text(raw);
  return {
    jsonMegabytes: round(size),
    firstRedactMs: round(firstMs),
    redactMbPerSecond: await megabytesPerSecond(() => redactFindings(rows, findings, { vault, types: TYPES })),
    restoreMbPerSecond: await megabytesPerSecond(() => restore(redacted, { ...options, vault })),
    restore1000In120kBMs: await median(21, () => restore(thousand, { ...options, vault })),
    knownValuesMbPerSecond: {
      knownValues: rows.length,
      clean: await megabytesPerSecond(() => knownValueRedactor.text(clean)),
      fullOfValues: await megabytesPerSecond(() => knownValueRedactor.text(raw)),
    },
  };
}

try {
  progress('rates');
  const result = { node: process.version, ...(await rates()) };
  progress(`memory: ${VALUES} values`);
  result.memory = await allocation(memoryStore(), VALUES);
  progress('sqlite');
  result.sqlite = await allocation(sqliteStore({ path: join(folder, 'store.db') }), Math.min(VALUES, 100_000));
  const redis = await startRedis();
  progress('redis');
  result.redis = redis ? await allocation(redis.store, Math.min(VALUES, 100_000)) : { skipped: 'no redis-server here' };
  await redis?.store[Symbol.asyncDispose]();
  redis?.stop();
  console.log(JSON.stringify(result, null, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
