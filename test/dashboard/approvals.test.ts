import { expect } from 'vitest';
import { accessibilityProblems } from '../fixtures/browser.ts';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';
import { ask } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

browserTests.describe('approvals in the dashboard', () => {
  const dashboard = useDashboard();
  const refund = (to: string, amount: number) =>
    dashboard.run(`return await callMCPTool('bank__refund', { to: ${JSON.stringify(to)}, amount: ${amount} });`);
  const statusOf = async (id: string) => (await dashboard.server.toolwright.executions.get(id)).status;
  const decided = async (id: string, action: string) => {
    const { body } = await ask(`${dashboard.server.url}/executions/${id}/questions`);
    return [action, body.questions.length];
  };

  browserTests.it('the empty queue is accessible', async () => {
    const { page } = await dashboard.open('/ui/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  browserTests.it(
    'a question appears without a reload, with its exact arguments and rule, and `a` approves it',
    async () => {
      const { page, problems } = await dashboard.open('/ui/approvals');
      await page.getByText('Nothing waits for you').waitFor();
      const started = performance.now();
      const id = await refund('ada', 40);
      const question = page.getByRole('region', { name: 'Question', exact: true });
      await question.getByText('Asked by the rule').waitFor();
      expect(await question.innerText()).toMatch(/to:\s*"ada"\s*amount:\s*40/);
      await page.keyboard.press('a');
      await page.getByText('Nothing waits for you').waitFor();
      expect(performance.now() - started).toBeLessThan(60_000);
      expect(await decided(id, 'approve')).toEqual(['approve', 0]);
      const result = await dashboard.server.toolwright.executions.resume(id);
      expect(result).toMatchObject({ status: 'completed', value: 'done refund' });
      expect(problems).toEqual([]);
    },
  );

  browserTests.it(
    'the number of open questions follows them, and executions without questions cost no request',
    async () => {
      const { page } = await dashboard.open('/');
      await page.locator('[data-stream="live"]').waitFor();
      let requests = 0;
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/approvals') requests++;
      });
      const link = page.getByRole('link', { name: /^Approvals/ });
      for (let each = 0; each < 3; each++) {
        await dashboard.run(`return "without a question ${each}"`);
        await page.getByRole('row', { name: new RegExp(`without a question ${each}`) }).waitFor();
      }
      expect([requests, await link.innerText()]).toEqual([0, 'Approvals']);
      const id = await refund('dora', 3);
      await link.getByText('1 open').waitFor();
      await dashboard.server.toolwright.executions.decide(id, { action: 'deny', calls: [1] });
      await dashboard.server.toolwright.executions.resume(id);
      await link.getByText('open').waitFor({ state: 'detached' });
      expect(requests).toBeGreaterThan(0);
    },
  );

  browserTests.it(
    '`j` and `k` move, `d` denies with the typed reason, and single keys can be switched off',
    async () => {
      const [first, second] = [await refund('bob', 1), await refund('carol', 2)];
      const { page } = await dashboard.open('/ui/approvals');
      const question = page.getByRole('region', { name: 'Question', exact: true });
      await question.getByText('"bob"').first().waitFor();
      await page.keyboard.press('j');
      await question.getByText('"carol"').first().waitFor();
      await page.keyboard.press('k');
      await question.getByText('"bob"').first().waitFor();
      await page.getByLabel('Single-key shortcuts').uncheck();
      await page.keyboard.press('j');
      await page.getByLabel('Single-key shortcuts').check();
      await page.getByLabel('Single-key shortcuts').blur();
      await question.getByText('"bob"').first().waitFor();
      // Keys are text in a field.
      await page.getByLabel('Reason, for the program').fill('');
      await page.getByLabel('Reason, for the program').pressSequentially('not a day');
      await page.getByRole('button', { name: /^Deny( d)?$/ }).click();
      await question.getByText('"carol"').first().waitFor();
      await page.keyboard.press('d');
      await page.getByText('Nothing waits for you').waitFor();
      const denied = await dashboard.server.toolwright.executions.resume(first);
      expect(JSON.stringify(denied)).toContain('not a day');
      expect(await dashboard.server.toolwright.executions.resume(second)).toMatchObject({ status: 'failed' });
    },
  );

  browserTests.it('a decision about all questions lists their arguments first', async () => {
    const ids = [await refund('dan', 1), await refund('eve', 2), await refund('fay', 3)];
    const { page } = await dashboard.open('/ui/approvals');
    await page.getByRole('button', { name: 'Approve all 3' }).click();
    const dialog = page.getByRole('dialog');
    for (const name of ['dan', 'eve', 'fay']) await dialog.getByText(`"${name}"`).first().waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await Promise.all(ids.map((id) => decided(id, 'open')))).toEqual(Array(3).fill(['open', 1]));
    // Two marked ones only.
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Approve 2 marked' }).click();
    await page.getByRole('button', { name: 'Approve 2 calls' }).click();
    await page.getByText('1 open').first().waitFor();
    expect(await Promise.all(ids.map((id) => decided(id, 'open')))).toEqual([
      ['open', 0],
      ['open', 0],
      ['open', 1],
    ]);
    await page.keyboard.press('d');
    await page.getByText('Nothing waits for you').waitFor();
  });

  browserTests.it('an approval covers the next calls of the tool', async () => {
    const id = await dashboard.run(`
      const names = ['a', 'b', 'c'];
      for (const to of names) await callMCPTool('bank__refund', { to, amount: 1 });
      return names.length;`);
    const { page } = await dashboard.open(`/ui/approvals?executionId=${id}&call=1`);
    await page.getByLabel('Number of further calls').fill('2');
    await page.getByRole('button', { name: 'Approve with the next 2' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    expect(await dashboard.server.toolwright.executions.resume(id)).toMatchObject({ status: 'completed', value: 3 });
  });

  browserTests.it('of two approvers at once, the second is told that it was decided', async () => {
    const id = await refund('gus', 9);
    const { page } = await dashboard.open('/ui/approvals');
    await page.getByRole('region', { name: 'Question', exact: true }).getByText('"gus"').first().waitFor();
    // The page does not receive the change before the person decides.
    await page.route('**/approvals?*', (route) => route.abort());
    await ask(`${dashboard.server.url}/executions/${id}/decisions`, { json: { action: 'deny' } });
    await page.keyboard.press('a');
    await page
      .getByText(/ALREADY_DECIDED/)
      .first()
      .waitFor();
    await page.unroute('**/approvals?*');
    await until(async () => (await statusOf(id)) !== 'running');
  });
});
