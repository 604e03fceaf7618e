// The first view, the list of executions, its filters, and scrolling.
import { percentiles, round } from '../measure.mjs';
import { openPage } from './browser.mjs';

const FIRST_VIEWS = 9;
const REPEAT = 7;
const SCROLL_STEP_PX = 2_000;
const ROW_PX = 40;
const SCROLL_LIMIT_MS = 240_000;

/** Measures from the navigation to the first rows, each time with an empty cache. */
export async function firstView({ browser, url }) {
  const [times, bytes] = [[], []];
  for (let run = 0; run < FIRST_VIEWS; run++) {
    const { page, context, loaded } = await openPage(browser, `${url}/`);
    times.push(await page.evaluate(() => globalThis.bench.firstRow));
    await page.waitForLoadState('load');
    bytes.push(loaded.bytes);
    await context.close();
  }
  return { ms: percentiles(times), kB: round(percentiles(bytes).p50 / 1_000, 0) };
}

/** Measures from a click on the menu to the rows, without loaded executions. */
export async function openList({ browser, url }) {
  const newest = await firstIdOf(url, '');
  const samples = [];
  for (let run = 0; run < REPEAT; run++) {
    const { page, context } = await openPage(browser, `${url}/ui/skills`);
    await page.locator('[data-stream="live"]').waitFor();
    samples.push(
      await page.evaluate((id) => {
        const link = document.querySelector('nav a[href$="/ui/executions"]');
        return globalThis.bench.show(id, () => link.click());
      }, newest),
    );
    await context.close();
  }
  return split(samples);
}

/** The filters, as the names of their fields, and as parameters of the API. */
const FILTERS = [
  { name: 'status', field: 'Status', value: 'failed', query: 'status=failed' },
  { name: 'time', field: 'Time', value: '1', query: () => `from=${new Date(Date.now() - 3_600_000).toISOString()}` },
  { name: 'user', field: 'User', value: 'ana', query: 'userId=ana' },
  { name: 'session', field: 'Session', value: 'session-7', query: 'sessionId=session-7' },
  { name: 'tool', field: 'Tool', value: 'crm__find', query: 'tool=crm__find' },
  { name: 'error', field: 'Error code', value: 'TOOL_FAILED', query: 'error=TOOL_FAILED' },
  { name: 'cost', field: 'At least this many tokens', value: '1000', query: 'minTokens=1000' },
  { name: 'duration', field: 'Took at least, in ms', value: '2900', query: 'minMs=2900' },
  { name: 'full text', field: 'Search programs, errors and tools', value: 'customer 17', query: 'q=customer%2017' },
];

/** Measures each filter from its choice, or from Enter in its field, to the first matching row. */
export async function filters({ browser, url }) {
  const results = {};
  for (const { name, field, value, query } of FILTERS) {
    const wanted = await firstIdOf(url, typeof query === 'string' ? query : query());
    const samples = [];
    for (let run = 0; run < REPEAT; run++) {
      const { page, context } = await openPage(browser, `${url}/ui/executions`);
      await page.evaluate(() => globalThis.bench.firstRow);
      await page.getByRole('button', { name: 'Filters' }).click();
      samples.push(await page.evaluate(applyFilter, { field, value, id: wanted }));
      await context.close();
    }
    results[name] = split(samples);
  }
  return results;
}

/** Runs in the page. */
function applyFilter({ field, value, id }) {
  const { bench } = globalThis;
  const input = document.querySelector(`[aria-label="${field}"]`);
  return bench.show(id, () => {
    bench.fill(input, value);
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
}

/** Scrolls until all rows are loaded, and then through all of them. */
export async function scroll({ browser, url, count }) {
  const { page, context } = await openPage(browser, `${url}/ui/executions`);
  await page.evaluate(() => globalThis.bench.firstRow);
  const load = await page.evaluate(scrollThrough, {
    step: SCROLL_STEP_PX,
    height: count * ROW_PX,
    limit: SCROLL_LIMIT_MS,
  });
  const back = await page.evaluate(scrollThrough, { step: -10 * SCROLL_STEP_PX, height: 0, limit: SCROLL_LIMIT_MS });
  await context.close();
  return { load, back };
}

/** Runs in the page: one step per frame, to the given height. */
async function scrollThrough({ step, height, limit }) {
  const { bench } = globalThis;
  const grid = document.querySelector('[role="grid"]');
  bench.longTasks.length = 0;
  const start = performance.now();
  const isThere = () => (step > 0 ? grid.scrollTop >= height - 2 * grid.clientHeight : grid.scrollTop <= 0);
  const frames = [];
  let last = start;
  while (!isThere() && performance.now() - start < limit) {
    grid.scrollTop += step;
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
  }
  frames.sort((a, b) => a - b);
  const longest = Math.max(0, ...bench.longTasks.map(({ duration }) => duration));
  return {
    rows: Math.floor(grid.scrollHeight / 40),
    seconds: Math.round((performance.now() - start) / 1_000),
    longestTaskMs: Math.round(longest),
    longTasks: bench.longTasks.length,
    frameMs: { p50: Math.round(frames[frames.length >> 1]), p99: Math.round(frames[Math.floor(frames.length * 0.99)]) },
  };
}

async function firstIdOf(url, query) {
  const answer = await fetch(`${url}/executions?limit=1&${/userId/.test(query) ? '' : 'all=true&'}${query}`);
  const [first] = (await answer.json()).executions;
  return first.executionId;
}

/** Returns the medians of the whole, the API and the rest. */
function split(samples) {
  const median = (pick) => round(percentiles(samples.map(pick)).p50, 0);
  return {
    ms: median(({ ms }) => ms),
    apiMs: median(({ apiMs }) => apiMs),
    screenMs: median(({ ms, apiMs }) => ms - apiMs),
    maxMs: round(Math.max(...samples.map(({ ms }) => ms)), 0),
  };
}
