import { expect } from 'vitest';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';
import { filterStatus, forkEdited } from '../fixtures/dashboard-flows.ts';

/** The bound of a wait. */
const SOON = { timeout: 20_000 };

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

  browserTests.it('each field of the filter is in the address and selects', async () => {
    const { id: sessionId } = await dashboard.server.toolwright.sessions.create({ userId: 'eve' });
    await dashboard.run(`return 'a long program'; // ${'much to read '.repeat(300)}`, { userId: 'eve' });
    await dashboard.run('throw new RangeError("a broken program")', { userId: 'eve' });
    await dashboard.run("return 'a program in a session'", { userId: 'eve', sessionId });
    const { page, problems } = await dashboard.open('/ui/executions');
    await page.getByRole('button', { name: 'Filters' }).click();
    const shows = async (...names: readonly string[]) => {
      const rows = page.locator('[data-row]');
      const nameOf = (text: string) => /a (long|broken) program|in a session/.exec(text)?.[0];
      await expect.poll(async () => (await rows.allInnerTexts()).map(nameOf), SOON).toEqual(names);
    };
    const all = ['in a session', 'a broken program', 'a long program'];
    for (const [label, value, parameter, ...names] of [
      ['User', 'eve', 'userId', ...all],
      ['Session', sessionId, 'sessionId', 'in a session'],
      ['Error code', 'GUEST_ERROR', 'error', 'a broken program'],
      ['At least this many tokens', '500', 'minTokens', 'a long program'],
      ['Took at least, in ms', '600000', 'minMs'],
    ] as const) {
      const field = page.getByLabel(label, { exact: true });
      await field.fill(value);
      await field.press('Enter');
      await shows(...names);
      expect(new URL(page.url()).searchParams.get(parameter)).toBe(value);
      if (parameter !== 'userId') await field.fill('');
    }
    const time = page.getByRole('combobox', { name: 'Time' });
    await shows(...all);
    await time.selectOption('Last hour');
    await page.waitForURL(/hours=1/);
    await time.selectOption('From … until …');
    await page.getByLabel('Until', { exact: true }).fill('2026-01-02T10:30');
    await page.waitForURL(/to=2026-01-02T10%3A30%3A00.000Z/);
    await page.getByText('No execution matches this filter').waitFor();
    await page.getByLabel('From', { exact: true }).fill('2026-01-01T08:00');
    await page.getByLabel('Until', { exact: true }).fill('');
    await page.getByLabel('Until', { exact: true }).blur();
    await shows(...all);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('from'), searchParams.has('to')]).toEqual(['2026-01-01T08:00:00.000Z', false]);
    await time.selectOption('Any time');
    await page.waitForURL((url) => !url.searchParams.has('from'));
    expect(problems).toEqual([]);
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
      .run("for (let n = 0; ; n++) { console.log('round', n); await callMCPTool('web__slow', { note: 'on and on' }); }")
      .catch(() => undefined);
    const { page } = await dashboard.open('/ui/executions?status=running');
    await page
      .getByRole('row', { name: /for \(let n/ })
      .getByRole('link')
      .click();
    // New calls and log lines appear while it runs.
    await page.getByText('round 9', { exact: true }).waitFor();
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
    await context.setOffline(false);
    await page.getByRole('row', { name: /while you were away/ }).waitFor();
  });
});
