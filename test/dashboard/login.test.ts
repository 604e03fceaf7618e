import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { memoryStore } from '../../packages/core/src/stores/store.ts';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { accessibilityProblems, openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';

browserTests.describe('login of the dashboard', () => {
  const logger = { info: () => undefined, error: () => undefined };
  const store = memoryStore();
  const keys = apiKeys(store);
  let keyed: HttpServer;
  let local: HttpServer;
  let browser: Browser;
  const login = createBrowserLogin({ store: memoryStore(), logger });
  beforeAll(async () => {
    [keyed, local, browser] = await Promise.all([
      startApi({
        authenticate: authentication({ keys, logger }),
        browserLogin: createBrowserLogin({ store, keys, logger }),
      }),
      startApi({ browserLogin: login }),
      startBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([keyed?.close(), local?.close()]);
  });
  /** Browsers keep the cookie for `localhost` only: other loopback names are not secure enough for its prefix. */
  const addressOf = ({ url }: HttpServer) => url.replace('127.0.0.1', 'localhost');

  browserTests.it('with keys, a wrong one is refused, and a user sees only own executions', async () => {
    const { text } = await keys.create({ user: 'ann', scopes: [] });
    await keyed.toolwright.execute('return "a program of ann"', { userId: 'ann' });
    await keyed.toolwright.execute('return "a program of bob"', { userId: 'bob' });
    const { page, problems, context } = await openPage(browser, `${addressOf(keyed)}/ui/executions`);
    const field = page.getByLabel('API key or token');
    await field.fill('tw_wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('This key is not valid').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await field.fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /program of ann/ }).waitFor();
    expect(await page.getByRole('row', { name: /program of bob/ }).count()).toBe(0);
    // Scripts cannot read the cookie, and the page keeps no key.
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain(text);
    expect((await context.cookies()).map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
      ['__Host-toolwright', true, 'Strict'],
    ]);
    await page.getByRole('button', { name: 'Log out' }).click();
    await field.waitFor();
    expect(problems).toEqual([]);
  });

  browserTests.it('an expired key leads back to the login', async () => {
    const { key, text } = await keys.create({ user: 'eve', scopes: [] });
    const { page } = await openPage(browser, `${addressOf(keyed)}/ui/sessions`);
    await page.getByLabel('API key or token').fill(text);
    await page.keyboard.press('Enter');
    await page.getByText('No sessions yet').waitFor();
    await keys.revoke(key.id);
    await page.getByRole('link', { name: 'Skills' }).click();
    await page.getByLabel('API key or token').waitFor();
  });

  browserTests.it('a link logs in once, and leaves the address and the history', async () => {
    const token = await login.createLink();
    const { page } = await openPage(browser, `${addressOf(local)}/#token=${token}`);
    await page.getByText('Nothing has run yet').waitFor();
    expect(page.url()).not.toContain(token);
    expect(await page.evaluate('fetch("dashboard/session").then((answer) => answer.json())')).toMatchObject({
      by: 'link',
    });
    const stolen = await openPage(browser, `${addressOf(local)}/#token=${token}`);
    await stolen.page.getByText('Nothing has run yet').waitFor();
    expect(await stolen.page.evaluate('fetch("dashboard/session").then((answer) => answer.json())')).toMatchObject({
      by: 'local',
    });
  });

  browserTests.it('no other page can frame the dashboard', async () => {
    const { page } = await openPage(browser, `${addressOf(keyed)}/docs`);
    await page.goto(`data:text/html,<iframe src="${addressOf(local)}/"></iframe>`);
    await page.waitForTimeout(300);
    const frame = page.frames()[1];
    expect(await frame?.getByRole('navigation').count()).toBe(0);
  });
});
