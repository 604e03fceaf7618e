import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';
import { filterStatus, forkEdited } from '../fixtures/dashboard-flows.ts';

browserTests.describe('executions in the dashboard', () => {
  const dashboard = useDashboard();
  const PARALLEL = `// Two calls at once
const [a, b] = await Promise.all([
  callMCPTool('web__slow', { note: 'a' }),
  callMCPTool('web__slow', { note: 'b' }),
]);
console.log('done', a);
return { a, b };`;

  browserTests.it(
    'new executions appear in the list without a reload, and leave a filter that they no longer match',
    async () => {
      const { page } = await dashboard.open('/');
      await page.getByText('Nothing has run yet').waitFor();
      await dashboard.run('return "first of all"');
      const row = page.getByRole('row', { name: /first of all/ });
      await row.waitFor();
      await row.getByText('completed').waitFor();
      await filterStatus(page, 'failed');
      await page.getByText('No execution matches this filter').waitFor();
      await dashboard.run('throw new TypeError("broken on purpose")');
      await page.getByRole('row', { name: /broken on purpose/ }).waitFor();
      expect(await page.getByRole('row', { name: /GUEST_ERROR/ }).count()).toBe(1);
    },
  );

  browserTests.it('a link has the filter, and the search finds words of programs and tools', async () => {
    await dashboard.run('return "needle in the haystack"');
    await dashboard.run(PARALLEL);
    const { page } = await dashboard.open('/ui/executions?q=needle');
    await page.getByRole('row', { name: /needle/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Search programs, errors and tools').fill('web__slow');
    await page.getByRole('row', { name: /Promise\.all/ }).waitFor();
    await page.getByRole('row', { name: /needle/ }).waitFor({ state: 'detached' });
    await page.goBack().catch(() => undefined);
  });

  browserTests.it('Enter searches at once, without the wait for further keys', async () => {
    const { page } = await dashboard.open('/ui/executions');
    const field = page.getByLabel('Search programs, errors and tools');
    await field.waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await field.fill('haystack');
    await field.press('Enter');
    await page.waitForURL(/q=haystack/);
  });

  browserTests.it(
    'the keyboard alone opens an execution, moves through its calls, and shows the arguments of one',
    async () => {
      const id = await dashboard.run(PARALLEL);
      const { page, problems } = await dashboard.open('/ui/executions?tool=web__slow');
      await page
        .getByRole('row', { name: /Promise\.all/ })
        .first()
        .waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: id }).waitFor();
      const calls = page.getByRole('treegrid', { name: 'Tool calls' });
      expect(await calls.getByRole('row').count()).toBe(3);
      await calls.locator('[data-index="0"]').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.getByRole('tab', { name: 'Call 2' }).waitFor();
      await page.getByText('note:', { exact: true }).waitFor();
      expect(page.url()).toContain('call=2');
      // Each line that made a call is marked, and its mark names the calls.
      for (const line of [3, 4])
        await page.getByRole('button', { name: `Line ${line}: 1 call`, exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('tab', { name: 'Call 2' }).waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    },
  );

  browserTests.it('a running execution can be cancelled, and its page shows the end', async () => {
    const running = dashboard
      .run("for (;;) await callMCPTool('web__slow', { note: 'on and on' });")
      .catch(() => undefined);
    const { page } = await dashboard.open('/ui/executions?status=running');
    await page
      .getByRole('row', { name: /for \(;;\)/ })
      .getByRole('link')
      .click();
    // New calls appear while it runs.
    await page.getByRole('treegrid').locator('[data-index="5"]').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page
      .locator('header')
      .getByText(/cancelled|stopped/)
      .waitFor();
    await running;
  });

  browserTests.it('a fork of an edited program runs, and is compared with its origin', async () => {
    const id = await dashboard.run("const a = await callMCPTool('web__slow', { note: 'x' });\nreturn a + '!';");
    const { page, problems } = await dashboard.open(`/ui/executions/${id}`);
    await forkEdited(page);
    expect(new URL(page.url()).searchParams.get('with')).toBe(id);
    expect(problems).toEqual([]);
  });

  browserTests.it('the page recovers from a lost connection and shows what has changed meanwhile', async () => {
    const { page, context } = await dashboard.open('/');
    await page.locator('[data-stream="live"]').waitFor();
    await context.setOffline(true);
    await dashboard.run('return "while you were away"');
    await sleep(300);
    await context.setOffline(false);
    await page.getByRole('row', { name: /while you were away/ }).waitFor();
  });
});
