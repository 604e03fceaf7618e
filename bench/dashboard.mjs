// node bench/dashboard.mjs [PART...]: measures the dashboard of the built product, with its defaults, in a real Chromium.
// Parts: firstView, list, filters, scroll, latency, streams, lighthouse. Default: all. Prints one table. Needs Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBrowser } from './dashboard/browser.mjs';
import { writeJournals } from './dashboard/journals.mjs';
import { latency } from './dashboard/latency.mjs';
import { lighthouse } from './dashboard/lighthouse.mjs';
import { filters, firstView, openList, scroll } from './dashboard/lists.mjs';
import { streams } from './dashboard/streams.mjs';
import { tableOf } from './dashboard/table.mjs';
import { startServe, startServer } from './http/server.mjs';

const MANY = 10_000;
const MOST = 100_000;
const liveServer = fileURLToPath(new URL('dashboard/live-server.mjs', import.meta.url));
const state = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
let folders = 0;

/** Starts `toolwright serve` on a new data folder with this many executions, and waits for its index. */
async function serveWith(count) {
  const dataDir = join(state, `data-${++folders}`);
  writeJournals(dataDir, count);
  const server = await startServe({ dataDir, cwd: state });
  while ((await (await fetch(`${server.url}/executions?limit=1`)).json()).isIndexing);
  return server;
}

/** Starts a server that can run 200 executions per second. */
function serveLive() {
  const options = { dataDir: join(state, `data-${++folders}`), cwd: state };
  return startServer([liveServer], { ...options, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

const GROUPS = [
  { start: () => serveWith(MANY), parts: { firstView, list: openList, filters, lighthouse } },
  {
    start: () => serveWith(MOST),
    parts: { listOfMost: openList, filtersOfMost: filters, scroll: (given) => scroll({ ...given, count: MOST }) },
  },
  { start: serveLive, parts: { latency, streams: ({ server }) => streams(server) } },
  { start: () => serveWith(0), parts: { streamsOfJail: ({ server }) => streams(server) } },
];

const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.some((part) => name.startsWith(part));
const results = {};
const loadBefore = loadavg()[0];
const browser = await startBrowser();
try {
  for (const { start, parts } of GROUPS) {
    const chosen = Object.entries(parts).filter(([name]) => isWanted(name));
    if (chosen.length === 0) continue;
    console.error(`${chosen.map(([name]) => name).join(', ')} …`);
    const server = await start();
    try {
      for (const [name, part] of chosen) {
        results[name] = await part({ browser, server, url: server.url });
        console.error(JSON.stringify({ [name]: results[name] }, null, 2));
      }
    } finally {
      await server.stop();
    }
  }
} finally {
  await browser.close();
  rmSync(state, { recursive: true, force: true });
}
console.log(`${availableParallelism()} cores, load average before: ${loadBefore.toFixed(1)}\n\n${tableOf(results)}`);
