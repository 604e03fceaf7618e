import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { type Look, layoutProblems } from '../fixtures/browser.ts';
import {
  addHostileServer,
  browserTests,
  HOSTILE,
  HOSTILE_SERVERS,
  HOSTILE_TOOL,
  useDashboard,
} from '../fixtures/dashboard.ts';
import { ask } from '../fixtures/http-server.ts';
import { MAX_PICTURE_BYTES, pictureBytes } from '../fixtures/pictures.ts';
import { IS_SHORT } from '../fixtures/short-form.ts';

const PROGRAM = `// Open invoices of two months
const months = ['may', 'june'];
const found = await Promise.all(months.map((month) => callMCPTool('web__slow', { note: month })));
const balance = await callMCPTool('bank__get_balance', { of: 'ada@example.com' });
console.log('read', found.length, 'months');
await fs.writeFile('/workspace/report.csv', 'month,open\\nmay,2\\njune,1\\n');
return { found, balance };`;

/** Returns the texts and titles of a page that have hidden characters. */
const hiddenIn = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('body *')].flatMap((element) =>
    [...['aria-label', 'title', 'alt', 'placeholder'].map((name) => element.getAttribute(name)),
      ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data)]
      // An empty line of a program.
      .filter((text) => text !== '\\u200b' && /[\\u001b\\u200b\\u202e]/.test(text ?? ''))
      .map((text) => element.outerHTML.slice(0, 80) + ': ' + text.slice(0, 80)))`);

browserTests.describe('screens of the dashboard', () => {
  const dashboard = useDashboard();
  const ids: Record<'completed' | 'failed' | 'hostile' | 'session', string> = {
    ...{ completed: '', failed: '', hostile: '', session: '' },
  };
  beforeAll(async () => {
    const { toolwright } = dashboard.server;
    ids.session = (await toolwright.sessions.create({})).id;
    const { session: sessionId } = ids;
    ids.completed = await dashboard.run(PROGRAM, { sessionId });
    ids.failed = await dashboard.run('const invoice = undefined;\nreturn invoice.total;', { sessionId });
    const text = JSON.stringify(HOSTILE);
    ids.hostile = await dashboard.run(
      `await callMCPTool('web__evil', { note: ${text} });\nconsole.error(${text});\nconsole.log('y'.repeat(20_000));\nthrow new Error(${text});`,
      { sessionId },
    );
    await dashboard.run(`return await callMCPTool('bank__refund', { to: 'eve@example.com', amount: 1200 });`, {
      sessionId,
    });
    await dashboard.run(`return await callMCPTool('bank__delete_account', { of: ${text} });`, { sessionId });
    await ask(`${dashboard.server.url}/task`, { json: { task: 'return "3 open invoices"', sessionId } });
    await toolwright
      .skills()
      .save({ name: 'open-invoices', description: 'Lists open invoices.', code: 'export default () => [];' });
  }, 60_000);

  /** The screens, and the text that each shows when it is loaded. */
  const screens = (): readonly (readonly [name: string, path: string, ready: (page: Page) => Promise<unknown>])[] => [
    ['executions', '/ui/executions', (page) => page.getByRole('row', { name: /months/ }).waitFor()],
    [
      'execution',
      `/ui/executions/${ids.completed}?call=3&tab=call`,
      (page) => page.getByRole('tab', { name: 'Call 3' }).waitFor(),
    ],
    ['failed', `/ui/executions/${ids.failed}`, (page) => page.getByText('GUEST_ERROR').waitFor()],
    ['approvals', '/ui/approvals', (page) => page.getByRole('button', { name: /^Approve( a)?$/ }).waitFor()],
    ['overview', '/ui/overview', (page) => page.getByText('Tokens saved').waitFor()],
    ['servers', '/ui/servers', (page) => page.getByRole('heading', { name: 'bank' }).waitFor()],
    [
      'catalog',
      '/ui/servers?tab=catalog&q=refund&tool=bank__refund',
      (page) => page.getByRole('region', { name: 'Tool' }).getByText('refund').first().waitFor(),
    ],
    ['policy', '/ui/servers?tab=policy', (page) => page.getByLabel('Arguments, as JSON').waitFor()],
    ['pins', '/ui/servers?tab=pins', (page) => page.getByText('in quarantine').waitFor()],
    ['sessions', '/ui/sessions', (page) => page.getByText(ids.session).waitFor()],
    ['session', `/ui/sessions/${ids.session}`, (page) => page.getByText('report.csv').waitFor()],
    [
      'tasks',
      `/ui/sessions/${ids.session}?tab=tasks`,
      (page) => page.getByText('3 open invoices', { exact: true }).waitFor(),
    ],
    ['skills', '/ui/skills?name=open-invoices', (page) => page.getByRole('region', { name: 'Skill' }).waitFor()],
  ];

  browserTests.it('every screen is accessible: light and dark, wide and on a phone', async () => {
    const looks = [{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] as const;
    // In the short form, each screen has one of the looks.
    const partOf = (lane: number) => screens().filter((_, index) => !IS_SHORT || index % looks.length === lane);
    const all = await Promise.all(
      looks.map(async (look, lane) => {
        const { page, problems } = await dashboard.open('/', look);
        const found: Record<string, readonly string[]> = {};
        for (const [name, path, ready] of partOf(lane)) {
          await page.goto(dashboard.server.url + path);
          await ready(page);
          found[name] = await layoutProblems(page);
        }
        return { look, found, problems };
      }),
    );
    const none = (lane: number) => Object.fromEntries(partOf(lane).map(([name]) => [name, []]));
    expect(all).toEqual(looks.map((look, lane) => ({ look, found: none(lane), problems: [] })));
  });

  browserTests.it('texts of programs, tools and servers are shown as text', async () => {
    const { page, problems } = await dashboard.open(`/ui/executions/${ids.hostile}?tab=logs`);
    await page.getByText('<script>alert(3)</script>').first().waitFor();
    for (const tab of ['Result', 'Logs', 'Stats']) {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
      const text = await page.getByRole('tabpanel').innerText();
      expect(['\u001b', '\u202e', '\u200b'].filter((hidden) => text.includes(hidden))).toEqual([]);
    }
    await page.getByRole('tab', { name: /^Logs/ }).click();
    expect(await page.getByRole('tabpanel').innerText()).toContain('invoice\\u202egpj.exe');
    expect(await page.getByRole('tabpanel').innerText()).toContain('18,000 more characters');
    for (const path of ['/ui/executions', '/ui/approvals', '/ui/servers?tab=pins']) {
      await page.goto(dashboard.server.url + path);
      await page
        .getByText(/alert\(/)
        .first()
        .waitFor();
    }
    expect(await page.locator('img[onerror], svg[onload], #root script').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  browserTests.it('names of servers and tools are shown as text', async () => {
    const { server } = dashboard;
    const removeServer = await addHostileServer(server);
    const id = await dashboard.run(`return await callMCPTool(${JSON.stringify(HOSTILE_TOOL)}, {});`);
    const { page, problems } = await dashboard.open('/ui/executions');
    const found: Record<string, readonly string[]> = {};
    const look = async (name: string) => {
      await page
        .getByText(/alert\(/)
        .first()
        .waitFor();
      found[name] = await hiddenIn(page);
      expect(await page.locator('img[onerror], svg[onload], #root script').count()).toBe(0);
    };
    const tool = `tool=${encodeURIComponent(HOSTILE_TOOL)}`;
    for (const path of ['executions', `executions/${id}?call=1`, 'approvals', 'overview', 'servers?tab=pins']) {
      await page.goto(`${server.url}/ui/${path}`);
      await look(path);
    }
    await page.goto(`${server.url}/ui/servers?tab=catalog&${tool}`);
    const region = page.getByRole('region', { name: 'Tool' });
    await region
      .getByText(/callMCPTool|function/)
      .first()
      .waitFor();
    await look('tool');
    await page.getByRole('tab', { name: 'Policy' }).click();
    await page.getByLabel('Tool', { exact: true }).fill(HOSTILE_TOOL);
    await page.getByRole('button', { name: 'What would the policy do?' }).click();
    await page.getByText('The tool is not read-only').waitFor();
    found.policy = await hiddenIn(page);
    await page.route('**/servers', (route) => route.fulfill({ json: HOSTILE_SERVERS }));
    await page.getByRole('tab', { name: 'Servers' }).click();
    await page.getByText('1 tool cannot be used').click();
    await look('servers');
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
    expect(problems).toEqual([]);
    await server.toolwright.executions.cancel(id);
    await server.toolwright.executions.remove(id);
    await removeServer();
  });

  browserTests.it('pictures of the documentation', async () => {
    const pictures: readonly (readonly [name: string, screen: string, look: Look])[] = [
      ['executions', 'executions', { width: 1200 }],
      ['execution', 'execution', { width: 1200 }],
      ['approvals', 'approvals', { width: 1200 }],
      ['overview', 'overview', { width: 1200 }],
      ['servers', 'servers', { width: 1200 }],
      ['skills', 'skills', { width: 1200 }],
      ['session', 'tasks', { width: 1200 }],
      ['dark', 'failed', { width: 1200, theme: 'dark' }],
      ['phone', 'approvals', { width: 390 }],
    ];
    const take = async ([name, screen, look]: (typeof pictures)[number]) => {
      const [, path = '/', ready] = screens().find(([each]) => each === screen) ?? [];
      const { page, context } = await dashboard.open(path, look);
      await ready?.(page);
      const bytes = await pictureBytes(page, name);
      await context.close();
      return [name, bytes <= MAX_PICTURE_BYTES];
    };
    const sizes = await Promise.all(pictures.map(take));
    expect(sizes).toEqual(pictures.map(([name]) => [name, true]));
  });
});
