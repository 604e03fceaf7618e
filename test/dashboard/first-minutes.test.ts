import { expect } from 'vitest';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';

browserTests.describe('the first minutes in the dashboard', () => {
  const dashboard = useDashboard();

  browserTests.it('a person runs a program, and reads the finding of the check without a run', async () => {
    // The first check starts the checker, which takes longer than the page waits on a busy machine.
    await dashboard.server.toolwright.check(`return callMCPTool('bank__get_balance', { of: 'ann' });`);
    const { page } = await dashboard.open('/ui/executions');
    await page.getByRole('button', { name: 'Run a program' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run a program' });
    const editor = dialog.getByRole('textbox', { name: 'Program' });
    const answer = dialog.getByRole('status', { name: 'Answer' });
    const write = async (code: string) => {
      await editor.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(code);
      await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    };
    await write("return callMCPTool('bank__get_balanse', { of: 'ann' });");
    await answer.getByText('Nothing has run').first().waitFor();
    expect(await answer.textContent()).toContain('bank__get_balance');
    await write('return 6 * 7;');
    await answer.getByText('42').waitFor();
    await dialog.getByRole('button', { name: 'Open the execution' }).click();
    await page.getByRole('heading', { name: 'return 6 * 7;' }).waitFor();
  });

  browserTests.it(
    'the page of a waiting execution has the call, its rule, its arguments and the decision',
    async () => {
      const id = await dashboard.run(`return await callMCPTool('bank__refund', { to: 'eve', amount: 1200 });`);
      const { page } = await dashboard.open(`/ui/executions/${id}`);
      const waiting = page.getByRole('list', { name: 'Waiting calls' });
      await waiting.getByText('bank__refund').waitFor();
      const text = await waiting.textContent();
      expect(text).toMatch(/asked by .*it is refused in /);
      expect(text).toContain('1200');
      await waiting.getByRole('button', { name: 'Approve' }).click();
      await waiting.waitFor({ state: 'detached' });
      await dashboard.server.toolwright.executions.resume(id);
      await page.getByRole('button', { name: 'Run again' }).waitFor();
      expect(await page.getByRole('treegrid', { name: 'Tool calls' }).textContent()).toContain('bank__refund');
    },
  );

  for (const width of [1280, 390])
    browserTests.it(`the decision is in sight in a window of ${width} pixels`, async () => {
      const to = 'eve '.repeat(200);
      const id = await dashboard.run(`return await callMCPTool('bank__refund', { to: '${to}', amount: 1 });`);
      const { page } = await dashboard.open(`/ui/executions/${id}`, { width });
      const approve = page.getByRole('list', { name: 'Waiting calls' }).getByRole('button', { name: 'Approve' });
      await approve.waitFor();
      const isInSight = await approve.evaluate((button) => {
        const { x, y, width: wide, height } = button.getBoundingClientRect();
        return button.contains(button.ownerDocument.elementFromPoint(x + wide / 2, y + height / 2));
      });
      expect(isInSight).toBe(true);
      await approve.click();
      await approve.waitFor({ state: 'detached' });
    });

  browserTests.it('long lines of a program are wrapped, and numbers stay readable', async () => {
    const id = await dashboard.run(`return '${'word '.repeat(300)}'.length;`);
    const { page } = await dashboard.open(`/ui/executions/${id}`);
    const program = page.getByRole('group', { name: 'Program' });
    await program.waitFor();
    expect(await program.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
  });

  browserTests.it('a decision about several calls shows in a table where they differ', async () => {
    for (const to of ['ann', 'bob'])
      await dashboard.run(`return await callMCPTool('bank__refund', { to: '${to}', amount: 77 });`);
    const { page } = await dashboard.open('/ui/approvals?tool=bank__refund');
    await page
      .getByRole('checkbox', { name: /Mark bank__refund/ })
      .first()
      .check();
    await page
      .getByRole('checkbox', { name: /Mark bank__refund/ })
      .nth(1)
      .check();
    await page.getByRole('button', { name: /^Approve .*marked/i }).click();
    const table = page.getByRole('dialog').getByRole('table');
    await table.waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(['to']);
    expect(await table.getByRole('cell').allTextContents()).toEqual(['"ann"', '"bob"']);
  });
});
