import { expect } from 'vitest';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';

/** Stands for the notifications of the operating system, and for a page in the background. */
const RECORDER = `
  window.shown = [];
  window.Notification = class {
    static permission = 'default';
    static requestPermission = async () => (window.Notification.permission = 'granted');
    constructor(title, options) { window.shown.push({ title, ...options, click: () => this.onclick() }); }
    close() {}
  };
  window.isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => window.isHidden });`;

browserTests.describe('notifications of the dashboard', () => {
  const dashboard = useDashboard();

  browserTests.it('report a new question in the background, without its arguments, and open it', async () => {
    const { page, context } = await dashboard.open('/ui/approvals');
    await context.addInitScript(RECORDER);
    await page.reload();
    await page.getByText('Nothing waits for you').waitFor();
    await page.getByLabel('Notify me').check();
    const shown = () => page.evaluate('window.shown.map(({ title, body }) => [title, body])');
    const ask = (to: string) => dashboard.run(`return await callMCPTool('bank__refund', { to: '${to}', amount: 1 });`);
    // In the foreground, the page itself shows it.
    await ask('seen');
    await page.getByText('"seen"').first().waitFor();
    expect(await shown()).toEqual([]);
    await page.evaluate('window.isHidden = true');
    const id = await ask('s3cret');
    await expect.poll(shown, { timeout: 20_000 }).toEqual([['bank__refund waits for approval', undefined]]);
    expect(JSON.stringify(await page.evaluate('window.shown'))).not.toContain('s3cret');
    await page.evaluate('window.shown[0].click()');
    await page.getByRole('region', { name: 'Question', exact: true }).getByText('"s3cret"').waitFor();
    expect(page.url()).toContain(`executionId=${id}`);
  });
});
