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

/** Measures with this many executions per second. */
export async function latency({ browser, live }) {
  const { page, context } = await openPage(browser, `${live.url}/ui/executions`);
  await page.locator('[data-stream="live"]').waitFor();
  await execute(live, WARM_UP_MS);
  await page.evaluate(watchRows);
  await takeEnds(live);
  const perSecond = await execute(live, MEASURED_MS);
  await sleep(500);
  const ends = await takeEnds(live);
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

/** Posts programs at a steady rate. Resolves to the executions per second that the server has reached. */
async function execute({ url }, forMs) {
  const { post, close } = client(url);
  const answers = [];
  const start = performance.now();
  for (let ms = 0; ms < forMs; ms = performance.now() - start) {
    const due = Math.floor((ms / 1_000) * PER_SECOND);
    while (answers.length < due) answers.push(post('/execute', { code: `return ${answers.length}`, check: false }));
    await sleep(TICK_MS);
  }
  for (const { status, body } of await Promise.all(answers)) if (status !== 200) throw new Error(JSON.stringify(body));
  close();
  return round(answers.length / ((performance.now() - start) / 1_000), 0);
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
