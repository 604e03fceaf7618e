import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { useAdminDashboard } from '../fixtures/admin-dashboard.ts';
import { layoutProblems } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { inLanes } from '../fixtures/lanes.ts';
import { IS_SHORT } from '../fixtures/short-form.ts';

type Step = readonly [name: string, path: string, open: (page: Page) => Promise<unknown>];

const dialogOf = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

browserTests.describe('dialogs and results of the dashboard', () => {
  const dashboard = useAdminDashboard();

  /** Each opens something that no screen shows at its start. */
  const steps = (): readonly Step[] => {
    const [execution, session] = [`/ui/executions/${dashboard.executionId}`, `/ui/sessions/${dashboard.sessionId}`];
    return [
      [
        'fork',
        execution,
        async (page) => {
          await press(page, 'Fork');
          await dialogOf(page).locator('.cm-content').waitFor();
        },
      ],
      [
        'delete an execution',
        execution,
        async (page) => {
          await press(page, 'Delete');
          await dialogOf(page).getByRole('button', { name: 'Keep it' }).waitFor();
        },
      ],
      ['journal', `${execution}?tab=journal`, (page) => page.getByRole('slider', { name: 'Time' }).waitFor()],
      [
        'add a server',
        '/ui/servers',
        async (page) => {
          await press(page, 'Add a server');
          await dialogOf(page).getByLabel('Name').fill('x');
          await dialogOf(page).getByLabel('Entry, as JSON').fill('{');
          await dialogOf(page).getByRole('button', { name: 'Add', exact: true }).click();
          await dialogOf(page).getByRole('alert').waitFor();
        },
      ],
      [
        'edit a server',
        '/ui/servers',
        async (page) => {
          await press(page, 'Edit');
          await dialogOf(page).getByLabel('Entry, as JSON').waitFor();
        },
      ],
      [
        'import servers',
        '/ui/servers',
        async (page) => {
          await press(page, 'Import servers');
          await dialogOf(page).getByLabel('imported').waitFor();
        },
      ],
      [
        'remove a server',
        '/ui/servers',
        async (page) => {
          await press(page, 'Remove');
          await dialogOf(page).getByLabel('Remove it from').waitFor();
        },
      ],
      [
        'result of a tool',
        '/ui/servers?tab=catalog&tool=bank__get_balance',
        async (page) => {
          await press(page, 'Call');
          await page.getByRole('link', { name: 'execution', exact: true }).waitFor();
        },
      ],
      [
        'changes of a skill',
        '/ui/skills?name=multiply',
        async (page) => {
          await page.getByLabel('Changes since').selectOption('v1');
          await page.getByRole('region', { name: 'index.ts' }).waitFor();
        },
      ],
      ['tasks', `${session}?tab=tasks`, (page) => page.getByText('an answer', { exact: true }).waitFor()],
      [
        'executions of a session',
        `${session}?tab=executions`,
        (page) => page.getByRole('list', { name: 'Executions' }).getByRole('link').first().waitFor(),
      ],
      [
        'delete a file',
        session,
        async (page) => {
          await page.getByRole('button', { name: /report\.csv/ }).click();
          await page.getByRole('cell', { name: 'may' }).waitFor();
          await press(page, 'Delete file');
          await dialogOf(page).getByRole('button', { name: 'Keep it' }).waitFor();
        },
      ],
      [
        'decision about several calls',
        '/ui/approvals',
        async (page) => {
          await press(page, 'Approve all 2');
          await dialogOf(page).getByRole('list', { name: 'Calls' }).waitFor();
        },
      ],
      [
        'message of an error',
        execution,
        async (page) => {
          const problem = { status: 409, json: { code: 'ALREADY_ENDED', detail: 'It has ended.' } };
          await page.route('**/test?*', (route) => route.fulfill(problem));
          await press(page, 'Export as test');
          await page.getByRole('button', { name: 'Close' }).waitFor();
        },
      ],
    ];
  };

  browserTests.it('each is accessible, light and wide, and dark and on a phone', async () => {
    await Promise.all(['ada', 'bob'].map((name) => dashboard.refund(name)));
    const found: Record<string, readonly string[]> = {};
    const all = steps();
    // In the short form, every second one is checked in the dark, on a phone.
    const dark = all.map(([name]) => name).filter((_, index) => !IS_SHORT || index % 2 === 0);
    await inLanes(3, all, async (part) => {
      const { page, problems } = await dashboard.open('/ui/skills');
      for (const [name, path, open] of part) {
        await page.goto(dashboard.url + path);
        await open(page);
        found[name] = await layoutProblems(page);
        if (!dark.includes(name)) continue;
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.setViewportSize({ width: 390, height: 800 });
        found[`${name}, dark`] = await layoutProblems(page);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      expect(problems).toEqual([]);
    });
    const names = [...all.map(([name]) => name), ...dark.map((name) => `${name}, dark`)];
    expect(found).toEqual(Object.fromEntries(names.map((name) => [name, []])));
  });
});
