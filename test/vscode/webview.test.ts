import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { accessibilityProblems, missingBrowser, startBrowser } from '../fixtures/browser.ts';
import { missingExtension, useExtension } from '../fixtures/extension.ts';
import { needs } from '../fixtures/needs.ts';
import { until } from '../fixtures/server.ts';
import { editor } from '../fixtures/vscode.ts';
import { openWebview } from '../fixtures/webview.ts';

const tests = missingExtension === undefined ? needs('chromium', missingBrowser) : needs('build', missingExtension);

tests.describe('the dashboard in a webview', () => {
  const extension = useExtension();
  let browser: Browser;
  let key: string;
  beforeAll(async () => {
    browser = await startBrowser();
    key = await extension.createKey(['executions:decide']);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    extension.use(extension.keyed);
    await extension.signIn(key);
  });

  tests.it('executions are live, and one has its program, calls and journal', async () => {
    const { page, problems, links } = await openWebview(browser, extension.open('executions'));
    await page.locator('[data-stream="live"]').waitFor();
    const id = await extension.run(`return await callMCPTool('bank__get_balance', { of: 'ada' });`);
    const row = page.getByRole('row', { name: /get_balance/ });
    await row.waitFor();
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { name: id }).waitFor();
    expect(await page.getByRole('treegrid', { name: 'Tool calls' }).getByRole('row').count()).toBe(2);
    await page.getByRole('tab', { name: /^Journal/ }).click();
    await page.getByRole('slider').waitFor();
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(await accessibilityProblems(page)).toEqual([]);
    // Neither the page nor the editor has followed a link of the page.
    expect([page.url(), links, problems]).toEqual(['https://webview.invalid/', [], []]);
  });

  tests.it('a call is approved in the page, and executed', async () => {
    const { page, problems } = await openWebview(browser, extension.open('approvals'));
    await page.getByText('Nothing waits for you').waitFor();
    const id = await extension.run(`return await callMCPTool('bank__refund', { to: 'ada', amount: 40 });`);
    await page.getByRole('region', { name: 'Question', exact: true }).getByText('Asked by').waitFor();
    await until(() => editor.items[0]?.text === '$(check) 1');
    await page.keyboard.press('a');
    await page.getByText('Nothing waits for you').waitFor();
    await until(() => editor.items[0]?.text === '$(check) 0');
    const result = await extension.keyed.toolwright.executions.resume(id, { userId: 'ann' });
    expect(result).toMatchObject({ status: 'completed', value: 'done refund' });
    expect(problems).toEqual([]);
  });

  tests.it('servers and tools are shown, and every other screen opens without a problem', async () => {
    const { page, problems, links } = await openWebview(browser, extension.open('tools'));
    await page.getByRole('heading', { name: 'bank' }).waitFor();
    for (const [name, text] of [
      ['Overview', 'Tokens saved'],
      ['Sessions', 'Sessions'],
      ['Skills', 'Skills'],
      ['Executions', 'Executions'],
    ] as const) {
      await page.getByRole('link', { name }).click();
      await page.getByText(text).first().waitFor();
    }
    extension.open('tools');
    await page.getByRole('heading', { name: 'bank' }).waitFor();
    expect([links, problems]).toEqual([[], []]);
  });

  tests.it('a page that was hidden comes back at its place, with the choices of the person', async () => {
    const id = await extension.run('return "come back"');
    const panel = extension.open('executions');
    const first = await openWebview(browser, panel);
    await first.page
      .getByRole('row', { name: /come back/ })
      .getByRole('link')
      .first()
      .click();
    await first.page.getByRole('heading', { name: id }).waitFor();
    await first.page.getByLabel('Colours').selectOption('light');
    await first.close();
    const second = await openWebview(browser, panel, first.state());
    await second.page.getByRole('heading', { name: id }).waitFor();
    expect(await second.page.evaluate('document.documentElement.dataset.theme')).toBe('light');
    expect(second.problems).toEqual([]);
  });

  tests.it('the login is in the editor, and the page never has the key', async () => {
    await extension.run('return "after the login"');
    await extension.command('signOut');
    const panel = extension.open('executions');
    await until(() => editor.secrets.size === 0);
    const { page, problems, state } = await openWebview(browser, panel);
    editor.typed = key;
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('row', { name: /after the login/ }).waitFor();
    const known = await page.evaluate(
      'document.documentElement.outerHTML + JSON.stringify(localStorage) + document.cookie',
    );
    expect(String(known) + JSON.stringify([state(), panel.received])).not.toContain(key);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(editor.secrets.size).toBe(0);
    // The answer 401 is no refused load.
    expect(problems).toEqual([]);
  });

  tests.it('files are uploaded, shown, and saved where the person chooses', async () => {
    const { id } = await extension.keyed.toolwright.sessions.create({ userId: 'ann' });
    const { page, problems } = await openWebview(browser, extension.open('executions'), { path: `/ui/sessions/${id}` });
    const buffer = Buffer.from('month,open\nmay,2\n');
    await page.getByLabel('Upload').setInputFiles({ name: 'report.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: /report.csv/ }).click();
    await page.getByRole('cell', { name: 'may' }).waitFor();
    editor.saveTo = '/chosen';
    await page.getByRole('link', { name: 'Download' }).click();
    await until(() => editor.written.size === 1);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await until(() => editor.written.size === 2);
    expect(editor.written.get('/chosen/report.csv')).toBe(buffer.toString());
    expect([...editor.written.keys()][1]).toMatch(/^\/chosen\/toolwright-usage-.*\.csv$/);
    expect(problems).toEqual([]);
  });
});
