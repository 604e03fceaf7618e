import { expect } from 'vitest';
import { accessibilityProblems } from '../fixtures/browser.ts';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';
import { approveMarked, listAll } from '../fixtures/dashboard-flows.ts';
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
      const id = await refund('ada', 40);
      const question = page.getByRole('region', { name: 'Question', exact: true });
      await question.getByText('Asked by').waitFor();
      expect(await question.innerText()).toMatch(/to:\s*"ada"\s*amount:\s*40/);
      await page.keyboard.press('a');
      await page.getByText('Nothing waits for you').waitFor();
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

  browserTests.it('an approval lasts for the same arguments or for the tool, is listed, and is revoked', async () => {
    const { lastingDecisions, executions } = dashboard.server.toolwright;
    const { page } = await dashboard.open('/ui/approvals');
    const approve = async (to: string, button: string) => {
      const id = await refund(to, 5);
      await page.getByRole('region', { name: 'Question', exact: true }).getByText(`"${to}"`).first().waitFor();
      await page.getByRole('button', { name: button }).click();
      await page.getByText('Nothing waits for you').waitFor();
      await until(async () => (await executions.decisions(id)).length === 1);
      expect(await executions.decisions(id)).toMatchObject([{ action: 'approve', by: 'local' }]);
    };
    await approve('uma', 'Always with these arguments');
    expect(await statusOf(await refund('uma', 5))).toBe('completed');
    await approve('vic', 'Always for this tool');
    expect(await statusOf(await refund('wes', 6))).toBe('completed');
    const list = page.getByRole('region', { name: 'Approvals that last' });
    await list.getByText('Approvals that last (2)').click();
    await list.getByText('with the same arguments, by local').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const line = list.getByRole('listitem').filter({ hasText: 'with any arguments' });
    await line.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await line.waitFor({ state: 'detached' });
    expect(await lastingDecisions.list('local')).toMatchObject([{ tool: 'bank__refund', arguments: 'exact' }]);
    const asked = await refund('wes', 6);
    expect(await statusOf(asked)).toBe('suspended');
    await executions.cancel(asked);
    for (const { id } of await lastingDecisions.list('local')) await lastingDecisions.revoke('local', id);
  });

  browserTests.it('a decision about all questions lists their arguments first', async () => {
    const ids = [await refund('dan', 1), await refund('eve', 2), await refund('fay', 3)];
    const { page } = await dashboard.open('/ui/approvals');
    await listAll(page, ['dan', 'eve', 'fay']);
    expect(await Promise.all(ids.map((id) => decided(id, 'open')))).toEqual(Array(3).fill(['open', 1]));
    // Two marked ones only. With a mark, keys are about the marked call, and not about the chosen one.
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog');
    await page.getByRole('heading', { name: 'Deny 1 call?' }).waitFor();
    expect(await dialog.innerText()).toMatch(/"dan"(?!.*"eve")/s);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('x');
    await approveMarked(page, 2);
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
      ${'// A line before the call.\n'.repeat(40)}
      for (const to of names) await callMCPTool('bank__refund', { to, amount: 1 });
      return names.length;`);
    const { page } = await dashboard.open(`/ui/approvals?executionId=${id}&call=1`);
    // The program is shown at the line of the call, with the lines after it.
    const program = page.getByRole('region', { name: 'Question', exact: true }).getByRole('group', { name: 'Program' });
    const scrolled = () => page.evaluate('document.querySelector("[aria-label=Program][role=group]").scrollTop');
    await expect.poll(scrolled, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await program.innerText()).toContain('return names.length;');
    await page.getByLabel('Number of further calls').fill('2');
    await page.getByLabel('Reason, for the program').fill('all of the list');
    await page.getByRole('button', { name: 'Approve with the next 2' }).click();
    await page.getByText(/is already decided: approved by local.*Reason: all of the list/).waitFor();
    const { executions } = dashboard.server.toolwright;
    expect(await executions.resume(id)).toMatchObject({ status: 'completed', value: 3 });
    const by = { action: 'approve', by: 'local', note: 'all of the list' };
    expect(await executions.decisions(id)).toMatchObject([1].map((call) => ({ call, ...by })));
  });

  browserTests.it('an approval covers only further calls with the same argument', async () => {
    const id = await dashboard.run(`
      const calls = [['same', 1], ['same', 2], ['other', 3]];
      for (const [to, amount] of calls) await callMCPTool('bank__refund', { to, amount });
      return calls.length;`);
    const { page } = await dashboard.open(`/ui/approvals?executionId=${id}&call=1`);
    await page.getByText('with any arguments').click();
    await page.getByRole('group', { name: 'Only calls with the same' }).getByLabel('to').check();
    await page.getByRole('button', { name: 'Approve with the next 5' }).click();
    await page.getByText(/is already decided: approved by local/).waitFor();
    expect(await dashboard.server.toolwright.executions.resume(id)).toMatchObject({ status: 'suspended' });
    const [waiting] = await dashboard.server.toolwright.executions.questions(id);
    expect(waiting).toMatchObject({ call: 3, arguments: { to: 'other' } });
    await dashboard.server.toolwright.executions.cancel(id);
  });

  browserTests.it('words select the calls of a decision', async () => {
    const ids = [await refund('kim', 1), await refund('kim', 2), await refund('lee', 3)];
    const { page } = await dashboard.open('/ui/approvals');
    await page.getByLabel('Show calls with').fill('REFUND kim');
    await page.getByRole('button', { name: 'Deny the 2 shown' }).click();
    await page.getByRole('button', { name: 'Deny 2 calls' }).click();
    await page.getByText('No open call has these words').waitFor();
    expect((await Promise.all(ids.map((id) => decided(id, 'open')))).map(([, open]) => open)).toEqual([0, 0, 1]);
    await page.getByLabel('Show calls with').fill('');
    await page.getByRole('button', { name: /^Deny( d)?$/ }).click();
    await page.getByText('Nothing waits for you').waitFor();
  });

  browserTests.it('a dry run is approved as a whole, after a look at its calls', async () => {
    const { toolwright } = dashboard.server;
    const program = `for (const to of ['mia', 'noa']) await callMCPTool('bank__refund', { to, amount: 7 }); return 'sent'`;
    const { page, problems } = await dashboard.open('/ui/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    const [first, second] = [
      await toolwright.execute(program, { dryRun: true, check: false }),
      await toolwright.execute(`${program};`, { dryRun: true, check: false }),
    ];
    const list = page.getByRole('region', { name: 'Dry runs' });
    await list
      .getByText(/2 calls for/)
      .nth(1)
      .waitFor();
    await list
      .getByText(/2 calls for/)
      .first()
      .click();
    const calls = list.getByRole('list', { name: 'Calls of the dry run' });
    for (const name of ['mia', 'noa']) await calls.getByText(`"${name}"`).first().waitFor();
    expect(await calls.getByText('will be sent').count()).toBe(2);
    expect(await accessibilityProblems(page)).toEqual([]);
    await list.getByRole('button', { name: 'Approve the 2 calls' }).click();
    await page.getByText('The dry run: approve.').first().waitFor();
    await list
      .getByText(/2 calls for/)
      .first()
      .click();
    await list.getByLabel('Reason for the decision').fill('not today');
    await list.getByRole('button', { name: 'Deny' }).click();
    await list.waitFor({ state: 'detached' });
    const approved = await toolwright.execute(program, { approved: first.executionId, check: false });
    expect(approved).toMatchObject({ status: 'completed', value: 'sent' });
    await expect(toolwright.execute(`${program};`, { approved: second.executionId })).rejects.toThrow('not today');
    expect(problems).toEqual([]);
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
