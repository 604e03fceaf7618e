// The time from the end of an execution in the server to its row on the screen, while many executions run.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { client } from '../http/client.mjs';
import { percentiles, round } from '../measure.mjs';
import { openPage } from './browser.mjs';

const PER_SECOND = 200;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 20_000;
const TICK_MS = 5;
/** A user of a server may have 256. */
const MAX_RUNNING = 200;

/** Measures with this many executions per second. */
export async function latency({ browser, server }) {
  const { page, context } = await openPage(browser, `${server.url}/ui/executions`);
  await page.locator('[data-stream="live"]').waitFor();
  await execute(server, WARM_UP_MS);
  await page.evaluate(watchRows);
  await takeEnds(server);
  const perSecond = await execute(server, MEASURED_MS);
  await sleep(500);
  const ends = await takeEnds(server);
  const seen = new Map(await page.evaluate(() => [...globalThis.bench.seen]));
  const longTasks = await page.evaluate(() => globalThis.bench.longTasks.map(({ duration }) => duration));
  await context.close();
  const samples = ends.flatMap(([id, endedMs]) => (seen.has(id) ? [seen.get(id) - endedMs] : []));
  return {
    perSecond,
    ended: ends.length,
    seen: samples.length,
    ms: percentiles(samples),
    maxMs: round(Math.max(...samples), 0),
    longestTaskMs: round(Math.max(0, ...longTasks), 0),
  };
}

/** Posts programs at a steady rate, or fewer where the server is too slow. Resolves to the executions per second. */
async function execute({ url }, forMs) {
  const { post, close } = client(url);
  const start = performance.now();
  let [posted, running] = [0, 0];
  let failure;
  const send = async () => {
    running++;
    const { status, body } = await post('/execute', { code: `return ${posted++}`, check: false });
    if (status !== 200) failure ??= new Error(JSON.stringify(body));
    running--;
  };
  for (let ms = 0; ms < forMs || running > 0; ms = performance.now() - start) {
    const due = Math.floor((Math.min(ms, forMs) / 1_000) * PER_SECOND);
    while (posted < due && ms < forMs && running < MAX_RUNNING) void send();
    if (failure) throw failure;
    await sleep(TICK_MS);
  }
  close();
  return round(posted / (forMs / 1_000), 0);
}

async function takeEnds({ child }) {
  child.send('ends');
  return (await once(child, 'message'))[0];
}

/** Runs in the page: records when each completed row is first on the screen. */
function watchRows() {
  const { bench } = globalThis;
  bench.seen = new Map();
  bench.longTasks.length = 0;
  const grid = document.querySelector('[role="grid"]');
  const look = () => {
    // A moment later, the frame of this change was painted.
    setTimeout(() => {
      const now = performance.timeOrigin + performance.now();
      for (const row of grid.querySelectorAll('[data-row]')) {
        if (Number(row.dataset.row) >= bench.visibleRows || !row.textContent.includes('completed')) continue;
        const id = row.querySelector('a').pathname.split('/').at(-1);
        if (!bench.seen.has(id)) bench.seen.set(id, now);
      }
    });
  };
  bench.visibleRows = Math.floor(grid.clientHeight / 40) - 1;
  let isWaiting = false;
  new MutationObserver(() => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      look();
    });
  }).observe(grid, { subtree: true, childList: true, characterData: true });
}
