import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { useAdminDashboard } from '../fixtures/admin-dashboard.ts';
import { layoutProblems } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { inLanes } from '../fixtures/lanes.ts';

/** A screen, the request that it needs, its label while it loads, and its text for an empty answer. */
type Screen = readonly [path: string, api: string, loading: string, empty?: readonly [answer: object, text: string]];

const FAULT = { code: 'INTERNAL', detail: 'Internal error.' };

browserTests.describe('states of the screens of the dashboard', () => {
  const dashboard = useAdminDashboard();
  const screens = (): readonly Screen[] => {
    const [execution, session] = [`/executions/${dashboard.executionId}`, `/sessions/${dashboard.sessionId}`];
    return [
      ['/ui/executions', '/executions', 'Loading executions', [{ executions: [] }, 'Nothing has run yet']],
      [`/ui${execution}`, execution, 'Loading the execution'],
      ['/ui/approvals', '/approvals', 'Loading approvals', [{ approvals: [], total: 0 }, 'Nothing waits for you']],
      [
        '/ui/overview',
        '/usage',
        'Loading figures',
        [{ totals: { executions: 0 }, tasks: { count: 0 } }, 'No executions in this time'],
      ],
      ['/ui/servers', '/servers', 'Loading servers', [{ servers: [] }, 'No servers']],
      ['/ui/servers?tab=catalog', '/tools', 'Searching', [{ tools: [], note: 'No server has tools.' }, 'No tools']],
      ['/ui/servers?tab=pins', '/pins', 'Loading pins', [{ mode: 'block', pins: [] }, 'No tool waits for you']],
      ['/ui/sessions', '/sessions', 'Loading sessions', [{ sessions: [] }, 'No sessions yet']],
      [`/ui${session}`, session, 'Loading the session'],
      [`/ui${session}`, `${session}/files`, 'Loading files', [{ files: [] }, 'The workspace is empty']],
      [`/ui${session}?tab=tasks`, '/tasks', 'Loading tasks', [{ tasks: [] }, 'No task has run in this session']],
      ['/ui/pages/p', '/pages/p', 'Loading the page', [{ graphs: [], omitted: 0 }, 'Nothing yet']],
      ['/ui/skills', '/skills', 'Loading skills', [{ skills: [] }, 'No skills yet']],
      ['/ui/skills?name=multiply', '/skills/multiply', 'Loading the skill'],
    ];
  };

  /** Holds the answer of a screen back, then fails it, then sends an empty one. Returns the problems. */
  const walk = async (page: Page, [path, api, loading, empty]: Screen): Promise<string[]> => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let answer: { readonly status: number; readonly json: object } | undefined = { status: 500, json: FAULT };
    const isApi = ({ pathname }: URL) => pathname === api;
    await page.route(isApi, async (route) => {
      await held;
      const headers = { 'x-request-id': 'request-1' };
      await (answer === undefined ? route.continue() : route.fulfill({ ...answer, headers }));
    });
    await page.goto(dashboard.url + path);
    await page.getByRole('status', { name: loading }).waitFor();
    const found = await layoutProblems(page);
    release();
    const failure = page.getByRole('alert');
    await failure.getByText('INTERNAL (500)').waitFor();
    // What happened, and the fix.
    await failure.getByText('Internal error.').waitFor();
    await failure.getByText('The log of the server has the reason').waitFor();
    await failure.getByText('Request request-1').waitFor();
    found.push(...(await layoutProblems(page)));
    answer = empty && { status: 200, json: empty[0] };
    await failure.getByRole('button', { name: 'Try again' }).click();
    await failure.waitFor({ state: 'detached' });
    if (empty) {
      await page.getByText(empty[1]).first().waitFor();
      found.push(...(await layoutProblems(page)));
    }
    await page.unroute(isApi);
    return found;
  };

  browserTests.it(
    'a screen shows that it loads, that it failed with a fix and a retry, and that it is empty',
    async () => {
      const all = screens();
      const found: Record<string, readonly string[]> = {};
      const looks = [{ theme: 'light' }, { theme: 'dark', width: 390 }] as const;
      await inLanes(looks.length, all, async (part, lane) => {
        const { page } = await dashboard.open('/ui/skills', looks[lane]);
        for (const screen of part) found[`${screen[0]} ${screen[1]}`] = await walk(page, screen);
      });
      expect(found).toEqual(Object.fromEntries(all.map(([path, api]) => [`${path} ${api}`, []])));
    },
  );

  browserTests.it('over a slow network, a screen and its data have grey lines until they arrive', async () => {
    const { page, context } = await dashboard.open('/ui/skills');
    await page.getByRole('list', { name: 'Skills' }).waitFor();
    const network = await context.newCDPSession(page);
    const slow = { offline: false, latency: 600, downloadThroughput: 50_000, uploadThroughput: 50_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    const seen = ['Loading the screen', 'Loading figures'].map((name) => page.getByRole('status', { name }).waitFor());
    await page.evaluate('document.querySelector("nav a[href$=overview]").click()');
    await Promise.all(seen);
    await page.getByText('Tokens saved').waitFor();
  });

  browserTests.it('a screen whose code cannot be loaded reports it, and is loaded again', async () => {
    const { page } = await dashboard.open('/ui/skills');
    await page.getByRole('list', { name: 'Skills' }).waitFor();
    await page.route('**/ui/assets/overview-*.js', (route) => route.abort());
    await page.evaluate('document.querySelector("nav a[href$=overview]").click()');
    const failure = page.getByRole('alert');
    await failure.getByText('Check the connection').waitFor();
    await page.unroute('**/ui/assets/overview-*.js');
    await failure.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Tokens saved').waitFor();
  });

  browserTests.it(
    'a failed change is reported with its code and its fix, and in a dialog next to its button',
    async () => {
      const detail = 'The server is stopping. Send it again in 1 s.';
      const [execution, session] = [`/ui/executions/${dashboard.executionId}`, `/ui/sessions/${dashboard.sessionId}`];
      const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last().click();
      const file = { name: 'a', mimeType: 'text/plain', buffer: Buffer.from('x') };
      const confirm = async (page: Page, name: string, label = name) => {
        await press(page, label);
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name, exact: true }).click();
        await dialog.getByRole('alert').getByText(detail).waitFor();
        await dialog.getByRole('button', { name, exact: true, disabled: false }).waitFor();
      };
      const notice = async (page: Page, act: Promise<unknown>) => {
        await act;
        await page.getByText(`SHUTTING_DOWN: ${detail}`).first().waitFor();
        await press(page, 'Close');
      };
      const changes: readonly (readonly [path: string, act: (page: Page) => Promise<unknown>])[] = [
        [execution, (page) => notice(page, press(page, 'Export as test'))],
        [`${execution}?tab=journal`, (page) => notice(page, press(page, 'Replay'))],
        [execution, (page) => confirm(page, 'Delete')],
        ['/ui/servers', (page) => confirm(page, 'Remove')],
        ['/ui/overview', (page) => notice(page, press(page, 'Export CSV'))],
        ['/ui/overview', (page) => notice(page, press(page, 'Log out'))],
        [session, (page) => notice(page, page.getByLabel('Upload').setInputFiles(file))],
        [
          session,
          async (page) => {
            await page.getByRole('button', { name: /report\.csv/ }).click();
            await confirm(page, 'Delete', 'Delete file');
          },
        ],
      ];
      const refuse = (route: Route) => {
        const request = route.request();
        const isRead = request.method() === 'GET' && request.headers().accept !== 'text/csv';
        if (isRead && !request.url().includes('/test?')) return route.continue();
        return route.fulfill({ status: 503, json: { code: 'SHUTTING_DOWN', detail } });
      };
      await inLanes(2, changes, async (part) => {
        const { page } = await dashboard.open('/ui/skills');
        await page.route('**', refuse);
        for (const [path, act] of part) {
          await page.goto(dashboard.url + path);
          await act(page);
        }
      });
      const { executions } = dashboard.server.toolwright;
      expect(await executions.get(dashboard.executionId)).toMatchObject({ status: 'completed' });
    },
  );
});
