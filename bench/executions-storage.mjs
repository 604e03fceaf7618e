// Measures an execution without calls, and the time of each of 20 calls, with executions in files and in PostgreSQL.
// Usage: node bench/executions-storage.mjs postgres://… (an empty database)
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createToolwright } from '../packages/core/dist/index.js';

const [url] = process.argv.slice(2);
const ROUNDS = 60;
const CALLS = 20;
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const tools = { bench: { tools: { echo: { description: 'Echoes', run: async () => 1 } } } };
const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

async function open(store) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-'));
  const toolwright = await createToolwright({
    dataDir,
    store,
    tools,
    sandbox: 'quickjs',
    check: false,
    pin: 'off',
    logger,
  });
  return {
    toolwright,
    close: () => toolwright.close().finally(() => rmSync(dataDir, { recursive: true, force: true })),
  };
}

async function time(toolwright, code) {
  const start = performance.now();
  const { status } = await toolwright.execute(code);
  if (status !== 'completed') throw new Error(status);
  return performance.now() - start;
}

/** Returns the median time of one commit of one row. */
async function commitMs() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create table commits (text text)');
  const commits = [];
  for (let n = 0; n < 100; n++) {
    const start = performance.now();
    await client.query('insert into commits values ($1)', ['x'.repeat(200)]);
    commits.push(performance.now() - start);
  }
  await client.end();
  return median(commits);
}

const calls = `for (let n = 0; n < ${CALLS}; n++) await callMCPTool('bench__echo', {}); return 1`;
const opened = { files: await open('sqlite'), postgres: await open(url) };
const times = { files: { none: [], calls: [] }, postgres: { none: [], calls: [] } };
for (let round = -5; round < ROUNDS; round++) {
  // Both in turn: the machine may have other work.
  for (const name of ['files', 'postgres']) {
    const none = await time(opened[name].toolwright, 'return 1');
    const all = await time(opened[name].toolwright, calls);
    if (round >= 0) times[name].none.push(none);
    if (round >= 0) times[name].calls.push(all);
  }
}
const [files, postgres] = ['files', 'postgres'].map((name) => ({
  none: median(times[name].none),
  calls: median(times[name].calls),
}));
const perCall = (postgres.calls - postgres.none - (files.calls - files.none)) / CALLS;
console.log(`execution without calls: files ${files.none.toFixed(2)} ms, PostgreSQL ${postgres.none.toFixed(2)} ms`);
console.log(`overhead: ${(postgres.none - files.none).toFixed(2)} ms per execution, ${perCall.toFixed(3)} ms per call`);
console.log(`one commit of one row: ${(await commitMs()).toFixed(2)} ms`);
await Promise.all(Object.values(opened).map(({ close }) => close()));
