import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { useAdminDashboard } from '../fixtures/admin-dashboard.ts';
import { accessibilityProblems, hasFocus, layoutProblems, overflowOf } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import * as flows from '../fixtures/dashboard-flows.ts';
import { inLanes } from '../fixtures/lanes.ts';
import { fixture } from '../fixtures/server.ts';

const PHONE = { width: 390 };
/** Content reflows down to this width (WCAG 1.4.10). */
const NARROWEST = 320;

browserTests.describe('the dashboard on a phone', () => {
  const dashboard = useAdminDashboard();

  browserTests.it('work that is done on a wide screen is done on a phone too', async () => {
    const execution = `/ui/executions/${dashboard.executionId}`;
    const { toolwright } = dashboard.server;
    const decided: string[] = [];
    const decide = async (page: Page) => {
      decided.push(await dashboard.refund('ada'));
      await flows.approveOne(page, 'ada');
      for (const name of ['dan', 'eve']) decided.push(await dashboard.refund(name));
      await flows.listAll(page, ['dan', 'eve']);
      for (const box of await page.getByLabel(/^Mark bank__refund/).all()) await box.check();
      await flows.approveMarked(page, 2);
      await page.getByText('Nothing waits for you').waitFor();
    };
    const work: readonly (readonly [path: string, flow: (page: Page) => Promise<unknown>])[] = [
      ['/ui/approvals', decide],
      [execution, flows.forkEdited],
      [
        `/ui/sessions/${dashboard.sessionId}`,
        async (page) => {
          await flows.uploadTable(page, 'name;note\nada;first\n');
          await page.getByRole('cell', { name: 'first' }).waitFor();
        },
      ],
      ['/ui/servers', (page) => flows.addServer(page, 'basic', fixture('basic'))],
      ['/ui/servers?tab=catalog', flows.askPolicy],
      [
        '/ui/executions',
        async (page) => {
          await page
            .getByRole('row', { name: /get_balance/ })
            .first()
            .waitFor();
          await flows.filterStatus(page, 'failed');
          await page.getByText('No execution matches this filter').waitFor();
          await page.getByRole('button', { name: 'Filters' }).click();
          await page.getByLabel('Error code').waitFor();
        },
      ],
      [
        '/ui/overview?hours=24',
        async (page) => {
          await page.getByRole('row', { name: /bank__get_balance/ }).waitFor();
          await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 30 days');
          await page.waitForURL(/hours=720/);
          await page.getByText('Tokens saved').waitFor();
        },
      ],
    ];
    const tooWide: unknown[] = [];
    await inLanes(2, work, async (part) => {
      const { page, problems } = await dashboard.open('/ui/skills', PHONE);
      for (const [path, flow] of part) {
        await page.goto(dashboard.url + path);
        await flow(page);
        for (const width of [PHONE.width, NARROWEST]) {
          await page.setViewportSize({ width, height: 800 });
          const overflow = await overflowOf(page);
          if (overflow > 0) tooWide.push([path, width, overflow]);
        }
        await page.setViewportSize({ width: PHONE.width, height: 800 });
      }
      expect(problems).toEqual([]);
    });
    expect(tooWide).toEqual([]);
    const open = await Promise.all(decided.map((id) => toolwright.executions.questions(id)));
    expect(open).toEqual([[], [], []]);
  });

  browserTests.it('shows when each execution started, and the title of one on a line of its own', async () => {
    const { page } = await dashboard.open('/ui/executions', PHONE);
    const row = page.getByRole('row', { name: /get_balance/ }).first();
    await row.getByText(/ago$/).waitFor();
    await page.goto(`${dashboard.url}/ui/executions/${dashboard.executionId}`);
    const title = page.getByRole('heading', { level: 1 });
    // A title that is drawn again has no box for a moment.
    await expect.poll(async () => (await title.boundingBox())?.width ?? 0).toBeGreaterThan(PHONE.width * 0.8);
  });

  browserTests.it(
    'has the person, the state of the stream, colours, shortcuts and the logout in a dialog',
    async () => {
      const { page, problems } = await dashboard.open('/ui/skills', PHONE);
      const more = page.getByRole('button', { name: 'More' });
      await more.click();
      const dialog = page.getByRole('dialog', { name: 'Preferences' });
      await dialog.locator('[data-stream="live"]').waitFor();
      expect(await dialog.innerText()).toMatch(/local[\s\S]*Live/);
      expect(await layoutProblems(page)).toEqual([]);
      await dialog.getByLabel('Colours').selectOption('dark');
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      expect(await accessibilityProblems(page)).toEqual([]);
      await dialog.getByLabel('Single-key shortcuts').uncheck();
      await page.reload();
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      await more.click();
      expect(await dialog.getByLabel('Single-key shortcuts').isChecked()).toBe(false);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await hasFocus(more)).toBe(true);
      await more.click();
      const ended = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
      await dialog.getByRole('button', { name: 'Log out' }).click();
      expect((await ended).status()).toBe(204);
      expect(problems).toEqual([]);
    },
  );

  browserTests.it('a lost connection has a bar, and a screen that failed meanwhile loads by itself', async () => {
    const { page } = await dashboard.open('/ui/skills', PHONE);
    await page.getByRole('list', { name: 'Skills' }).waitFor();
    const isApi = ({ pathname }: URL) => /^\/(executions\/events|sessions)$/.test(pathname);
    await page.route(isApi, (route) => route.abort());
    await page.reload();
    const bar = page.getByText('Connection lost. This page may be out of date.');
    await bar.waitFor();
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('alert').getByText('UNREACHABLE').waitFor();
    expect(await layoutProblems(page)).toEqual([]);
    await page.unroute(isApi);
    await page.getByRole('link', { name: dashboard.sessionId }).waitFor();
    await bar.waitFor({ state: 'hidden' });
  });
});
