import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { useAdminDashboard } from '../fixtures/admin-dashboard.ts';
import { hasFocus } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { until } from '../fixtures/server.ts';

const MAX_TABS = 80;
const ROWS = 40;

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let time = 0; time < MAX_TABS; time++) {
    if (await hasFocus(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} times Tab did not lead to ${target}.`);
}

/** Goes to an element with Tab, and presses Enter there. */
async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

browserTests.describe('the dashboard by keyboard alone', () => {
  const dashboard = useAdminDashboard();

  browserTests.it('the list has `/`, Home, End, PageUp and PageDown', async () => {
    for (let row = 0; row < ROWS; row++) await dashboard.server.toolwright.execute(`return "row ${row}"`);
    const { page, problems } = await dashboard.open('/ui/executions');
    await page.getByRole('row', { name: /row 39/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('row');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=row/);
    await page.getByRole('row', { name: /get_balance/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /row 39/ }).waitFor();
    await page.keyboard.press('Escape');
    const focused = () => page.evaluate('Number(document.activeElement.dataset.row)');
    for (const [key, row] of [
      ['j', 1],
      ['PageDown', 16],
      ['PageDown', 31],
      ['PageUp', 16],
      ['End', ROWS - 1],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused, { timeout: 20_000 }).toBe(row);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Result' }).waitFor();
    await tabTo(page, page.getByRole('tab', { name: 'Result' }));
    for (const [key, name] of [
      ['ArrowRight', /^Logs/],
      ['End', 'Compare'],
      ['ArrowLeft', 'Journal'],
      ['Home', 'Result'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('tab', { name, selected: true }).waitFor();
    }
    expect(problems).toEqual([]);
  });

  browserTests.it('an editor can be left, and its Escape does not close the dialog', async () => {
    const { page } = await dashboard.open(`/ui/executions/${dashboard.executionId}`);
    const fork = page.getByRole('button', { name: 'Fork' });
    await enter(page, fork);
    const dialog = page.getByRole('dialog');
    const editor = dialog.getByRole('textbox', { name: 'Program of the fork' });
    await tabTo(page, editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' // typed');
    await page.keyboard.press('Escape');
    await dialog.getByText('// typed').waitFor();
    await page.keyboard.press('Tab');
    expect(await hasFocus(dialog.getByRole('button', { name: 'Close' }))).toBe(true);
    await page.keyboard.press('Shift+Tab');
    expect(await hasFocus(editor)).toBe(true);
    await page.keyboard.press('Shift+Tab');
    expect(await hasFocus(dialog.getByLabel('Repeat recorded answers up to'))).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(() => hasFocus(fork));
  });

  browserTests.it('a server dialog keeps the focus inside, and returns it; tabs, policy and colours work', async () => {
    const { page } = await dashboard.open('/ui/servers');
    const add = page.getByRole('button', { name: 'Add a server' });
    await enter(page, add);
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Name'));
    await page.keyboard.type('typed');
    // Around the dialog once.
    for (let time = 0; time < 6; time++) {
      await page.keyboard.press('Tab');
      expect(await dialog.locator(':focus').count()).toBe(1);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(() => hasFocus(add));
    await tabTo(page, page.getByLabel('Colours'));
    await page.keyboard.press('d');
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await tabTo(page, page.getByRole('tab', { name: 'Servers' }));
    await page.keyboard.press('End');
    await tabTo(page, page.getByLabel('Tool', { exact: true }));
    await page.keyboard.type('bank__refund');
    await page.keyboard.press('Enter');
    await page
      .getByText(/^(ask|depends)$/)
      .first()
      .waitFor();
  });

  browserTests.it('a skill is opened and run', async () => {
    const { page } = await dashboard.open('/ui/skills');
    await enter(page, page.getByRole('button', { name: /^multiply/ }));
    const skill = page.getByRole('region', { name: 'Skill', exact: true });
    await tabTo(page, skill.getByLabel('Arguments of the skill, as JSON'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{ "a": 14 }');
    await enter(page, skill.getByRole('button', { name: 'Run' }));
    await skill.getByRole('status').getByText('42').waitFor();
  });

  browserTests.it('a session is opened, a file is uploaded, shown and deleted', async () => {
    const { page } = await dashboard.open('/ui/sessions');
    await enter(page, page.getByRole('link', { name: dashboard.sessionId }));
    const field = page.getByLabel('Upload');
    // Before the key: the browser reports a chooser only once this has reached it.
    const chosen = page.waitForEvent('filechooser');
    await tabTo(page, field);
    await page.keyboard.press('Enter');
    const chooser = await chosen;
    await chooser.setFiles({ name: 'typed.txt', mimeType: 'text/plain', buffer: Buffer.from('of a keyboard') });
    const file = page.getByRole('button', { name: /typed\.txt/ });
    await enter(page, file);
    await page.getByText('of a keyboard').waitFor();
    await enter(page, page.getByRole('button', { name: 'Delete file' }));
    await enter(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await file.waitFor({ state: 'detached' });
    // The file has gone with its button: the focus is in the page, and not lost.
    await until(() => page.evaluate('document.activeElement.id === "main"') as Promise<boolean>);
  });
});
