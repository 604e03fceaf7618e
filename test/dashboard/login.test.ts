import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
import { jwtVerifier } from '../../packages/server/src/auth/jwt.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { accessibilityProblems, openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { AUDIENCE, startIssuer, type TokenIssuer } from '../fixtures/token-issuer.ts';

/** Longer than the tokens of the issuer are valid. */
const TOKEN_MS = 400_000;

browserTests.describe('login of the dashboard', () => {
  const logger = { info: () => undefined, error: () => undefined };
  const store = memoryStore();
  const keys = apiKeys(store);
  let keyed: HttpServer;
  let local: HttpServer;
  let browser: Browser;
  let issuer: TokenIssuer;
  const login = createBrowserLogin({ store: memoryStore(), logger: partial(logger) });
  beforeAll(async () => {
    issuer = await startIssuer();
    const jwt = jwtVerifier({ issuer: issuer.url, audience: AUDIENCE, jwksUri: issuer.jwksUri });
    [keyed, local, browser] = await Promise.all([
      startApi({
        authenticate: authentication({ keys, jwt, logger: partial(logger) }),
        browserLogin: createBrowserLogin({ store, keys, jwt, logger: partial(logger) }),
        streams: { heartbeatMs: 200 },
      }),
      startApi({ browserLogin: login }),
      startBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([keyed?.close(), local?.close(), issuer?.stop()]);
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

  browserTests.it('an open page returns to the login when its key is revoked, and when its token ends', async () => {
    const open = async (credential: string) => {
      const { page } = await openPage(browser, `${addressOf(keyed)}/ui/sessions`);
      await page.getByLabel('API key or token').fill(credential);
      await page.keyboard.press('Enter');
      await page.getByText('No sessions yet').waitFor();
      await page.locator('[data-stream="live"]').waitFor({ state: 'attached' });
      return page;
    };
    const { key, text } = await keys.create({ user: 'eve', scopes: [] });
    const token = await issuer.token({ sub: 'tom' });
    const pages = await Promise.all([open(token), open(text)]);
    await keys.revoke(key.id);
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + TOKEN_MS);
    // Nobody clicks: the end of the stream is the reason.
    for (const page of pages) await page.getByLabel('API key or token').waitFor();
    clock.mockRestore();
    expect(await pages[0].getByRole('navigation').count()).toBe(0);
  });

  browserTests.it('a logout in one tab ends all tabs, and another person sees nothing of the first', async () => {
    const [{ text: ann }, { text: bob }] = [await keys.create({ user: 'ann' }), await keys.create({ user: 'bob' })];
    await keyed.toolwright.execute('return "only for ann"', { userId: 'ann' });
    const { page, context } = await openPage(browser, `${addressOf(keyed)}/ui/executions`);
    await page.getByLabel('API key or token').fill(ann);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /only for ann/ }).waitFor();
    const second = await context.newPage();
    await second.goto(`${addressOf(keyed)}/ui/executions`);
    await second.getByRole('row', { name: /only for ann/ }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await second.getByLabel('API key or token').waitFor();
    await second.getByLabel('API key or token').fill(bob);
    await second.keyboard.press('Enter');
    await second.getByRole('navigation').getByText('bob', { exact: true }).waitFor();
    await second.getByText('Nothing has run yet').or(second.getByRole('row')).first().waitFor();
    expect(await second.getByText('only for ann').count()).toBe(0);
    await context.close();
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
