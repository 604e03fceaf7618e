import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { type OAuthIssuer, startOAuthIssuer } from '../fixtures/oauth-issuer.ts';
import { until } from '../fixtures/server.ts';

browserTests.describe('login to a server in the dashboard', () => {
  let issuer: OAuthIssuer;
  let server: HttpServer;
  let browser: Browser;
  beforeAll(async () => {
    issuer = await startOAuthIssuer();
    [server, browser] = await Promise.all([
      startApi({}, { mcpServers: { web: { url: issuer.url } }, waits: { graceMs: 0 } }),
      startBrowser(),
    ]);
    server.toolwright.logins.useCallback(`${server.url}/oauth/callback`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await issuer?.stop();
  });

  browserTests.it(
    'opens the page of the issuer, asks for a confirmation, and then the tools can be called until the logout',
    async () => {
      const { page, context, problems } = await openPage(browser, `${server.url}/ui/servers`);
      await context.setExtraHTTPHeaders({ 'x-subject': 'ann' });
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Log in' }).click(),
      ]);
      await opened.getByText('Do you want to connect web to the Toolwright account').waitFor();
      await opened.getByRole('button').first().click();
      await opened.getByText('You are logged in to web.').waitFor();
      // The page of the issuer has no way back into the dashboard.
      expect(await opened.evaluate('window.opener')).toBeNull();
      await page.bringToFront();
      await page.getByText('logged in', { exact: true }).waitFor();
      const called = await server.toolwright.execute("return await callMCPTool('web__whoami', {})");
      expect(called).toMatchObject({ status: 'completed', value: 'ann' });
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByText('You are logged out.').first().waitFor();
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      expect(await server.toolwright.logins.list()).toEqual([{ server: 'web', state: 'none' }]);
      expect(problems).toEqual([]);
    },
  );

  browserTests.it('a call without a login waits in the queue, with the link of the login', async () => {
    const { executions } = server.toolwright;
    const program = "return await callMCPTool('web__whoami', {})";
    const { executionId } = await server.toolwright.execute(program, { userId: 'carol' });
    const { page, context } = await openPage(browser, `${server.url}/ui/approvals?executionId=${executionId}`);
    await context.setExtraHTTPHeaders({ 'x-subject': 'carol' });
    const question = page.getByRole('region', { name: 'Question', exact: true });
    await question.getByText(/Without a decision, the call fails in \d/).waitFor();
    using _continuing = executions.continueExecutions();
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      question.getByRole('link', { name: 'Log in to the server' }).click(),
    ]);
    await opened.getByRole('button').first().click();
    await opened.getByText('You are logged in to web.').waitFor();
    expect(await opened.evaluate('window.opener')).toBeNull();
    // The login itself is the decision.
    await page.getByText('Call 1 of web__whoami is already decided: authorized by login').waitFor();
    await until(async () => (await executions.get(executionId, 'carol')).status === 'completed');
    const { result } = await executions.get(executionId, 'carol');
    expect(result).toMatchObject({ status: 'completed', value: 'carol' });
  });
});
