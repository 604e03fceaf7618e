// Measures the list of executions, its filters and its event stream on a generated data folder: node bench/executions.mjs [COUNT]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from '@toolwright/core';
import { createHttpServer } from '@toolwright/server';
import { writeJournals } from './dashboard/journals.mjs';

const count = Number(process.argv[2] ?? 10_000);
const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-executions-'));

const took = async (work) => {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
};
const middle = async (work, times = 15) => {
  const all = [];
  for (let each = 0; each < times; each++) all.push((await took(work)).ms);
  return all.sort((a, b) => a - b)[Math.floor(times / 2)].toFixed(1);
};

async function measureLists(url) {
  const list = async (query) => (await fetch(`${url}/executions?${query}`)).json();
  const { ms } = await took(async () => {
    for (;;) {
      const page = await list('limit=1');
      if (page.isIndexing !== true) return;
    }
  });
  console.log(`index of ${count} journals built in ${Math.round(ms)} ms`);
  const queries = [
    'limit=200',
    'limit=200&total=true',
    'status=failed',
    'tool=crm__find&status=failed',
    'error=TOOL_FAILED',
  ];
  queries.push(
    'minTokens=1000',
    'all=true',
    'userId=ana',
    'q=customer%20499',
    'q=refused',
    'q=rows&total=true',
    'q=nothing',
    'sessionId=none',
  );
  queries.push(`from=${new Date(Date.now() - 3_600_000).toISOString()}`, 'status=running');
  for (const query of queries) console.log(`GET /executions?${query}: ${await middle(() => list(query))} ms`);
  const all = await took(async () => {
    let [cursor, seen] = ['', 0];
    while (cursor !== undefined && seen < 10_000) {
      const page = await list(`limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen += page.executions.length;
      cursor = page.nextCursor;
    }
    return seen;
  });
  console.log(`${all.value} rows in pages of 200: ${Math.round(all.ms)} ms`);
}

/** Runs short programs. Returns the CPU time of this process for each, in milliseconds: other work on the machine does not change it. */
async function cpuOfExecution(url, programs = 600) {
  let started = 0;
  const before = process.cpuUsage();
  const headers = { 'content-type': 'application/json' };
  const work = async () => {
    while (started++ < programs) {
      const body = JSON.stringify({ code: `return ${started}`, check: false });
      await (await fetch(`${url}/execute`, { method: 'POST', body, headers })).text();
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / programs;
}

/** 50 clients in a process of their own. It prints the number of their events at its end. */
const FOLLOWERS = `
const leaving = new AbortController();
let events = 0;
process.on('SIGTERM', () => { console.log(events); process.exit(); });
for (let each = 0; each < 50; each++) void (async () => {
  const { body } = await fetch(process.argv[1] + '/executions/events');
  for await (const chunk of body) events += Buffer.from(chunk).toString().split('\\nevent: ').length - 1;
})();
setTimeout(() => console.log('ready'), 1500);`;

async function measureFollowers(url) {
  await cpuOfExecution(url, 200);
  const costs = { none: [], some: [] };
  for (let round = 0; round < 4; round++) {
    costs.none.push(await cpuOfExecution(url));
    const child = spawn(process.execPath, ['-e', FOLLOWERS, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    costs.some.push(await cpuOfExecution(url));
    child.kill();
    const [events] = await once(child.stdout, 'data');
    console.log(`50 followers received ${String(events).trim()} events`);
  }
  const best = (list) => Math.min(...list);
  const more = (best(costs.some) / best(costs.none) - 1) * 100;
  console.log(
    `CPU of an execution: ${best(costs.none).toFixed(2)} ms, with 50 followers ${best(costs.some).toFixed(2)} ms (+${more.toFixed(1)} %)`,
  );
}

const made = await took(() => writeJournals(dataDir, count));
console.log(`${count} executions generated in ${Math.round(made.ms)} ms`);
const toolwright = await createToolwright({ dataDir, sandbox: 'quickjs', store: 'memory' });
const server = await createHttpServer({
  toolwright,
  port: 0,
  logger: { info() {}, warn: console.warn, error: console.error },
});
await measureLists(server.url);
if (process.argv[3] === 'followers') await measureFollowers(server.url);
await server.close();
await toolwright.close();
rmSync(dataDir, { recursive: true, force: true });
