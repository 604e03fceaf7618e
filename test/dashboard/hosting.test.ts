import { expect } from 'vitest';
import { openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';
import { startProxy } from '../fixtures/path-proxy.ts';

browserTests.describe('hosting of the dashboard', () => {
  const dashboard = useDashboard();

  browserTests.it('below a path of a proxy, deep links, links and live changes work', async () => {
    const id = await dashboard.run('return "behind a proxy"');
    const proxy = await startProxy(dashboard.server.url);
    const browser = await startBrowser();
    try {
      const { page, problems } = await openPage(browser, `${proxy.url}/ui/executions/${id}?tab=logs`);
      await page.getByRole('heading', { name: id }).waitFor();
      await page.getByRole('link', { name: 'Executions' }).click();
      await page.getByRole('row', { name: /behind a proxy/ }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/tools/tw/ui/executions');
      await dashboard.run('return "through the stream"');
      await page.getByRole('row', { name: /through the stream/ }).waitFor();
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      proxy.close();
    }
  });

  browserTests.it('all tabs of a browser share one stream, and another tab takes it over', async () => {
    const { page, context } = await dashboard.open('/');
    await page.locator('[data-stream="live"]').waitFor();
    const streams: string[] = [];
    context.on('request', (sent) => {
      if (sent.url().includes('/executions/events')) streams.push(sent.url());
    });
    const second = await context.newPage();
    await second.goto(`${dashboard.server.url}/`);
    await second.locator('[data-stream="live"]').waitFor();
    await dashboard.run('return "for both tabs"');
    await second.getByRole('row', { name: /for both tabs/ }).waitFor();
    expect(streams).toEqual([]);
    await page.close();
    await dashboard.run('return "after the first tab"');
    await second.getByRole('row', { name: /after the first tab/ }).waitFor();
    expect(streams).toHaveLength(1);
  });

  browserTests.it('of a long list, only the visible rows are in the page, and scrolling loads the rest', async () => {
    const programs = Array.from({ length: 230 }, (_, number) => `return "row ${number}"`);
    for (const program of programs) await dashboard.run(program);
    const { page } = await dashboard.open('/ui/executions?q=row');
    await page.getByRole('row', { name: /row 229/ }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    const grid = page.getByRole('grid', { name: 'Executions' });
    await page.locator('[data-row="0"]').focus();
    // Each page loads when its end comes near.
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press('End');
      await page.waitForTimeout(200);
    }
    await grid.getByRole('row', { name: /"row 0"/ }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
  });
});
