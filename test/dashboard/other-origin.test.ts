import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, Request, Response } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { type OpenPage, openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';

browserTests.describe('a page of another port of the same host', () => {
  const logger = { info: () => undefined, error: () => undefined };
  const store = memoryStore();
  const keys = apiKeys(store);
  let server: HttpServer;
  let attacker: Server;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let opened: OpenPage;
  const address = () => server.url.replace('127.0.0.1', 'localhost');
  /** Cookies do not separate ports: browsers send the cookie of the dashboard with requests of this page. */
  const attackerUrl = () => `http://localhost:${(attacker.address() as AddressInfo).port}/`;
  beforeAll(async () => {
    attacker = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Another page</title><h1>Another page</h1>');
    }).listen(0, '127.0.0.1');
    [server, browser] = await Promise.all([
      startApi({
        authenticate: authentication({ keys, logger: partial(logger) }),
        browserLogin: createBrowserLogin({ store, keys, logger: partial(logger) }),
      }),
      startBrowser(),
      once(attacker, 'listening'),
    ]);
    const { text } = await keys.create({ user: 'ann', scopes: ['servers:admin'] });
    opened = await openPage(browser, `${address()}/ui/executions`);
    await opened.page.getByLabel('API key or token').fill(text);
    await opened.page.keyboard.press('Enter');
    await opened.page.getByText('Nothing has run yet').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    attacker?.close();
  });

  /** Sends a program from a page, with the cookie. Returns the status that the page may read, or its error. */
  const send = (page: Page, type: string, mode: string, headers: object = {}) => {
    const init = { method: 'POST', credentials: 'include', mode, headers: { 'content-type': type, ...headers } };
    const body = JSON.stringify({ code: 'return "sent by a page"' });
    const call = `fetch(${JSON.stringify(`${address()}/execute`)}, ${JSON.stringify({ ...init, body })})`;
    return page.evaluate(`${call}.then(({ status }) => status, (error) => error.name)`);
  };
  const executed = async () =>
    (await server.toolwright.executions.find({ userId: 'ann' })).executions.map(({ preview }) => preview);

  browserTests.it('cannot run a program or read data with the cookie, which its requests have', async () => {
    const page = await opened.context.newPage();
    await page.goto(attackerUrl());
    const answers: Response[] = [];
    const requests: Request[] = [];
    page.on('response', (answer) => answers.push(answer));
    page.on('request', (request) => requests.push(request));
    // A form needs no permission, and neither does a request whose answer the page does not read.
    const form = `Object.assign(document.createElement('form'), { method: 'post', enctype: 'text/plain', action: '${address()}/execute' })`;
    expect(await send(page, 'text/plain', 'no-cors')).toBe('TypeError');
    for (const type of ['application/json', 'text/plain'])
      expect(await send(page, type, 'cors', { 'x-toolwright-dashboard': '1' })).toBe('TypeError');
    const read = `fetch('${address()}/executions', { credentials: 'include' }).then(({ status }) => status, (error) => error.name)`;
    expect(await page.evaluate(read)).toBe('TypeError');
    await Promise.all([
      page.waitForURL(/\/execute$/),
      page.evaluate(
        `(() => { const form = ${form}; form.innerHTML = '<input name="{&quot;code&quot;:&quot;return 1//" value="&quot;}">'; document.body.append(form); form.submit(); })()`,
      ),
    ]);
    const cookies = await Promise.all(
      requests
        .filter((request) => request.method() === 'POST')
        .map(async (request) => (await request.allHeaders()).cookie?.includes('__Host-toolwright') === true),
    );
    // The control: the browser did send the cookie.
    expect(cookies.filter(Boolean).length).toBeGreaterThanOrEqual(1);
    expect(answers.map((answer) => answer.status()).filter((status) => status < 400)).toEqual([]);
    expect(await executed()).toEqual([]);
    // The control: a page of the server runs it.
    expect(await send(opened.page, 'application/json', 'cors', { 'x-toolwright-dashboard': '1' })).toBe(200);
    expect(await executed()).toEqual(['return "sent by a page"']);
    await page.close();
  });

  browserTests.it('cannot frame the dashboard, which would be there without the policy', async () => {
    const page = await opened.context.newPage();
    const refusals: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('frame-ancestors')) refusals.push(message.text());
    });
    const frame = async () => {
      await page.goto(attackerUrl());
      const script = `new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), { src: '${address()}/ui/executions', onload: resolve });
        document.body.append(frame);
      }).then(() => undefined)`;
      await page.evaluate(script);
      return page.frames()[1];
    };
    const refused = await frame();
    expect(refusals).toHaveLength(1);
    expect(await refused?.getByRole('navigation').count()).toBe(0);
    // The control: the same page without the headers of the policy is shown, and has the session.
    await page.route('**/ui/executions', async (route) => {
      const answer = await route.fetch();
      const { 'content-security-policy': _policy, 'x-frame-options': _options, ...headers } = answer.headers();
      await route.fulfill({ response: answer, headers });
    });
    const shown = await frame();
    await shown?.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(refusals).toHaveLength(1);
    await page.close();
  });
});
