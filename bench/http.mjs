// node bench/http.mjs [PART...]: measures the HTTP API under load. This process creates the load; `toolwright serve` runs in
// a separate process. TOOLWRIGHT_BENCH_CALLS=10000 makes 50 × 10,000 calls instead of 50 × 200.
// Parts: restart, overhead, simultaneous, interleaved, stuckReaders. Default: all.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createToolwright } from 'toolwright';
import { client } from './http/client.mjs';
import { startServe, startServer } from './http/server.mjs';
import { percentiles, round, time } from './measure.mjs';

const CLIENTS = 50;
const CALLS = Number(process.env.TOOLWRIGHT_BENCH_CALLS ?? 200);
const SIMULTANEOUS = 500;
const HEALTH_EVERY_MS = 20;
const STUCK_READERS = 20;
const REST_MS = 150;
const CPU_PROGRAM = 'const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); fib(20);';
const state = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
const program = (path) => fileURLToPath(new URL(path, import.meta.url));

function p99(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))], 1);
}

const serve = () => startServe({ dataDir: join(state, 'server'), cwd: state });

/** Measures the time from the start of the process to a ready answer, after a kill. */
async function restart() {
  const samples = [];
  for (let round = 0; round < 5; round++) {
    let server;
    samples.push(
      await time(async () => {
        server = await serve();
        const { get, close } = client(server.url);
        while ((await get('/ready')).status !== 200) await sleep(5);
        close();
      }),
    );
    await server.stop('SIGKILL');
  }
  return { readyMs: { p50: percentiles(samples).p50, max: round(Math.max(...samples), 1) } };
}

/** Runs the same program with the library in this process and over HTTP, alternately. */
async function overhead({ post }) {
  const toolwright = await createToolwright({ dataDir: join(state, 'library') });
  const [library, http, beyond] = [[], [], []];
  for (let index = 0; index < 230; index++) {
    // A new guest starts after each run. Its start must not overlap with the next measurement.
    await sleep(REST_MS);
    const libraryMs = await time(() => toolwright.execute(`return ${index}`));
    await sleep(REST_MS);
    const { body, ms } = await post('/execute', { code: `return ${index}` });
    if (body.value !== index) throw new Error(JSON.stringify(body));
    if (index < 30) continue;
    library.push(libraryMs);
    http.push(ms);
    beyond.push(ms - body.stats.totalMs);
  }
  await toolwright.close();
  const [ofLibrary, ofHttp] = [percentiles(library), percentiles(http)];
  const difference = round(ofHttp.p50 - ofLibrary.p50, 3);
  return {
    libraryMs: ofLibrary,
    httpMs: ofHttp,
    overheadMs: { p50: difference },
    outsideOfTheRunMs: percentiles(beyond),
  };
}

/** Sends many requests at once. Accepted requests must be answered, and refused ones must have `Retry-After`. */
async function simultaneous({ post, url }) {
  // The probe is a separate process, because the load keeps this one busy.
  const probe = fork(program('http/probe.mjs'), [url, `${HEALTH_EVERY_MS}`]);
  await once(probe, 'message');
  let answers = [];
  const ms = await time(async () => {
    answers = await Promise.all(
      Array.from({ length: SIMULTANEOUS }, (_, index) => post('/execute', { code: `${CPU_PROGRAM} return ${index}` })),
    );
  });
  probe.send('end');
  const [health] = await once(probe, 'message');
  const accepted = answers
    .map(({ status, body }, index) => ({ status, isRight: body.value === index }))
    .filter(({ status }) => status === 200);
  // A user has a limit, and so has the server.
  const refused = answers.filter(({ status }) => status === 429 || status === 503);
  return {
    requests: SIMULTANEOUS,
    accepted: accepted.length,
    answeredRight: accepted.filter(({ isRight }) => isRight).length,
    refusedWithRetryAfter: refused.filter(({ headers }) => headers['retry-after'] !== undefined).length,
    other: answers.length - accepted.length - refused.length,
    totalMs: round(ms, 0),
    healthMs: { ...percentiles(health), p99: p99(health), max: round(Math.max(...health), 1), samples: health.length },
  };
}

/** Runs concurrent clients with one session each, and checks every answer. Repeats refused calls. */
async function interleaved({ post }) {
  let crossed = 0;
  let refused = 0;
  const samples = [];
  const work = async (number) => {
    const { sessionId } = (await post('/sessions', {})).body;
    for (let call = 0; call < CALLS; call++) {
      const token = `${number}-${call}-${Math.random()}`;
      const code =
        call % 10 === 0
          ? `await fs.writeFile('mine', ${JSON.stringify(token)}); return fs.readFile('mine')`
          : `return ${JSON.stringify(token)}`;
      let answer = await post('/execute', { code, sessionId });
      while (answer.status === 503) {
        refused++;
        await sleep(50);
        answer = await post('/execute', { code, sessionId });
      }
      samples.push(answer.ms);
      if (answer.body.value !== token) crossed++;
    }
  };
  const ms = await time(() => Promise.all(Array.from({ length: CLIENTS }, (_, number) => work(number))));
  const calls = CLIENTS * CALLS;
  return {
    clients: CLIENTS,
    calls,
    crossed,
    refused,
    perSecond: round(calls / (ms / 1_000), 0),
    ms: percentiles(samples),
  };
}

/** Measures the cost of stuck event readers for other clients. */
async function stuckReaders() {
  const server = await startServer([program('http/stream-server.mjs')], {
    dataDir: join(state, 'server'),
    cwd: state,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const { post, close } = client(server.url);
  const rss = async () => {
    server.child.send('rss');
    return (await once(server.child, 'message'))[0];
  };
  const measure = async () => {
    const samples = [];
    for (let index = 0; index < 200; index++) samples.push((await post('/execute', { code: 'return 1' })).ms);
    return percentiles(samples);
  };
  await measure();
  const [without, before] = [await measure(), await rss()];
  const readers = Array.from({ length: STUCK_READERS }, () => {
    const headers = { accept: 'text/event-stream' };
    const asked = request(`${server.url}/tasks/t/events`, { headers });
    // The reader gets the headers and then stops reading.
    return asked
      .on('response', (response) => response.pause())
      .on('error', () => undefined)
      .end();
  });
  await sleep(2_000);
  const [withThem, after] = [await measure(), await rss()];
  for (const reader of readers) reader.destroy();
  close();
  await server.stop('SIGKILL');
  return {
    readers: STUCK_READERS,
    withoutMs: without,
    withMs: withThem,
    rssGrowthMb: round((after - before) / 2 ** 20, 1),
  };
}

const PARTS = {
  restart,
  overhead: withServer(overhead),
  simultaneous: withServer(simultaneous),
  interleaved: withServer(interleaved),
  stuckReaders,
};

/** Runs a part against a new server. */
function withServer(part) {
  return async () => {
    const server = await serve();
    const load = client(server.url);
    const result = await part({ ...load, url: server.url });
    load.close();
    return { ...result, endMs: round(await time(() => server.stop()), 0) };
  };
}

const wanted = process.argv.slice(2);
const results = { cores: availableParallelism(), loadBefore: loadavg()[0] };
for (const [name, part] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`${name} …`);
  results[name] = await part();
}
console.log(JSON.stringify(results, null, 2));
rmSync(state, { recursive: true, force: true });
