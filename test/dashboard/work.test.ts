import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';
import { askPolicy, uploadTable } from '../fixtures/dashboard-flows.ts';

/** Clicks a button and returns the text and the name of the file that the browser saves. */
async function saved(page: Page, name: string): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

browserTests.describe('work in the dashboard', () => {
  const dashboard = useDashboard();
  const PROGRAM = "const a = await callMCPTool('web__slow', { note: 'a' });\nconsole.log(a);\nreturn a;";

  browserTests.it('the journal has a slider, a replay is identical, and the exported test is a file', async () => {
    const id = await dashboard.run(PROGRAM);
    const { page, problems } = await dashboard.open(`/ui/executions/${id}?tab=journal`);
    const slider = page.getByRole('slider', { name: 'Time' });
    await slider.waitFor();
    await page.getByText(/1 calls sent, 1 answered/).waitFor();
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText(/0 calls sent, 0 answered/).waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Replay: identical').waitFor();
    const file = await saved(page, 'Export as test');
    expect(file.name).toMatch(/^[\da-f]{8}\.test\.ts$/);
    expect(file.text).toContain("callMCPTool('web__slow'");
    expect(problems).toEqual([]);
  });

  browserTests.it('personal data is shown on demand, which the server logs', async () => {
    const id = await dashboard.run(
      "const { email } = await callMCPTool('web__customer', {}); await callMCPTool('web__slow', { note: email }); return email;",
    );
    const { page } = await dashboard.open(`/ui/executions/${id}?call=2&tab=call`);
    const details = page.getByRole('region', { name: 'Details' });
    await details
      .getByText(/EMAIL_\d/)
      .first()
      .waitFor();
    expect(await details.getByText('bob@example.com').count()).toBe(0);
    await page.getByLabel('Show personal data (logged)').check();
    await details.getByText('"bob@example.com"').waitFor();
    await page.getByRole('tab', { name: 'Result' }).click();
    await details.getByText('"bob@example.com"').waitFor();
    await page.getByLabel('Show personal data (logged)').uncheck();
    await details
      .getByText(/EMAIL_\d/)
      .first()
      .waitFor();
    const logged = dashboard.server.logged.filter((line) => line.includes('real values'));
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { executionId: id, by: { user: 'local' } },
      { executionId: id, by: { user: 'local' } },
    ]);
    expect(logged.join()).not.toContain('@example.com');
  });

  browserTests.it('two executions are compared call by call', async () => {
    const before = await dashboard.run(PROGRAM);
    const after = await dashboard.run(PROGRAM.replace("note: 'a'", "note: 'changed'"));
    const { page } = await dashboard.open(`/ui/executions/${after}?tab=diff`);
    await page.getByLabel('Compare with').fill(before);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('changed: web__slow').waitFor();
    expect(await page.getByRole('group', { name: 'After' }).first().innerText()).toContain('"changed"');
    expect(page.url()).toContain(`with=${before}`);
  });

  browserTests.it('files are uploaded, CSV is a table, and a file can be deleted', async () => {
    const { id } = await dashboard.server.toolwright.sessions.create({});
    const { page, problems } = await dashboard.open(`/ui/sessions/${id}`);
    await page.getByText('The workspace is empty').waitFor();
    const text = 'name;note\nada;"<b>one;two</b>"\n';
    await uploadTable(page, text);
    await page.getByRole('cell', { name: '<b>one;two</b>' }).waitFor();
    const link = page.getByRole('link', { name: 'Download' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(text);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The workspace is empty').waitFor();
    expect(problems).toEqual([]);
  });

  browserTests.it('the catalog is searched as an agent does, and the policy is asked about a call', async () => {
    const { page } = await dashboard.open('/ui/servers?tab=catalog');
    await page.getByLabel('Search as an agent does').fill('give money back');
    await page.getByText(/An agent reads [\d,]+ tokens/).waitFor();
    await page.getByRole('button', { name: /bank__refund/ }).click();
    await page.getByRole('region', { name: 'Tool' }).getByText('amount').first().waitFor();
    await askPolicy(page);
  });

  browserTests.it('the figures count executions and failures, and are saved as CSV', async () => {
    await dashboard.run('throw new Error("for the figures")');
    const { page } = await dashboard.open('/ui/overview?range=24h');
    await page.getByText('Tokens saved').waitFor();
    await page.getByRole('row', { name: /web__slow/ }).waitFor();
    const file = await saved(page, 'Export CSV');
    expect(file.name).toBe('toolwright-usage-24h.csv');
    expect(file.text).toMatch(/executions/);
    await page.getByRole('link', { name: 'web__slow' }).click();
    await page
      .getByRole('row', { name: /callMCPTool/ })
      .first()
      .waitFor();
    expect(page.url()).toContain('tool=web__slow');
  });

  browserTests.it('an unknown execution and an unreachable server are errors with a way on', async () => {
    const { page } = await dashboard.open('/ui/executions/11111111-1111-4111-8111-111111111111');
    await page.getByText('UNKNOWN_EXECUTION').waitFor();
    await page.route('**/sessions?*', (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL', detail: 'Broken.' } }),
    );
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('INTERNAL (500)').waitFor();
    await page.unroute('**/sessions?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByText('INTERNAL (500)').waitFor({ state: 'detached' });
  });
});
