// A real Chromium, and the measuring functions that it has in each page.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = [process.env.TOOLWRIGHT_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];
/** The path of Chromium. */
export const executablePath = PLACES.find((path) => path !== undefined && existsSync(path));
const VIEWPORT = { width: 1280, height: 800 };
const TIMEOUT_MS = 30_000;

export function startBrowser() {
  if (executablePath === undefined) throw new Error('Install Chromium, or set TOOLWRIGHT_CHROMIUM to its path.');
  return chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'] });
}

/** Opens a page in a new context, whose cache is empty. Counts the bytes that it receives, compressed and with headers. */
export async function openPage(browser, url) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.addInitScript(addMeasures);
  const session = await context.newCDPSession(page);
  const loaded = { bytes: 0 };
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    loaded.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await page.goto(url);
  return { page, context, loaded };
}

/** Runs in the page before its scripts: adds `bench`, the functions that the parts of the benchmark call there. */
function addMeasures() {
  const rowOf = (index) => document.querySelector(`[data-row="${index}"]`);
  const frame = () => new Promise(requestAnimationFrame);
  /** Resolves when the frame that has these rows was painted. */
  const until = async (condition) => {
    while (!condition()) await frame();
    await new Promise((resolve) => setTimeout(resolve));
  };
  const bench = {
    until,
    /** Resolves to the milliseconds since the navigation when the first row is on screen. */
    firstRow: until(() => rowOf(0) !== null).then(() => performance.now()),
    /** Acts, and waits until an execution is the first row. Returns the milliseconds of both, and of its request to the API. */
    async show(id, act) {
      performance.clearResourceTimings();
      const before = rowOf(0);
      const start = performance.now();
      act();
      // A list with another filter has new rows, also where the first execution is the same.
      await until(() => rowOf(0) !== before && rowOf(0)?.querySelector(`a[href*="${id}"]`));
      const ms = performance.now() - start;
      const request = performance.getEntriesByType('resource').find(({ name }) => name.includes('/executions?'));
      return { ms, apiMs: request ? request.responseEnd - request.startTime : 0 };
    },
    /** Sets the value of a field as a person does. */
    fill(field, value) {
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, value);
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
    },
    longTasks: [],
  };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) bench.longTasks.push({ startTime, duration });
  }).observe({ type: 'longtask' });
  globalThis.bench = bench;
}
