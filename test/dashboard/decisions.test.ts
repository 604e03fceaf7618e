import { cpSync, existsSync, readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { createToolwright, type ToolwrightOptions } from '../../packages/core/src/toolwright.ts';
import { apiKeys } from '../../packages/server/src/auth/api-keys.ts';
import { createBrowserLogin } from '../../packages/server/src/auth/browser-login.ts';
import { authentication } from '../../packages/server/src/auth.ts';
import { messageText } from '../../packages/server/src/notifications/notifications.ts';
import { memoryStore } from '../../packages/storage/src/store.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { browserTests, useDashboard } from '../fixtures/dashboard.ts';
import { endOwners } from '../fixtures/execution-rows.ts';
import { startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { fixture, temporaryFile, until } from '../fixtures/server.ts';

const LISTS = '**/approvals?*';
const DECISIONS = '**/approvals/decisions';

/** The server receives the request, and the page receives no answer. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

const questionOf = (page: Page) => page.getByRole('region', { name: 'Question', exact: true });

browserTests.describe('decisions in the dashboard', () => {
  const dashboard = useDashboard();
  const refund = (to: string) => dashboard.run(`return await callMCPTool('bank__refund', { to: '${to}', amount: 1 });`);
  const shows = (page: Page, name: string) => questionOf(page).getByText(`"${name}"`).first().waitFor();
  const sentCalls = async (id: string) => {
    const { entries } = await dashboard.server.toolwright.executions.journal(id, undefined, {
      kinds: ['call', 'send'],
    });
    return entries.length;
  };

  browserTests.it('the link of a decided question shows who decided and how, and the execution', async () => {
    const { executions } = dashboard.server.toolwright;
    const [done, other] = [await refund('done'), await refund('other')];
    await executions.decide(done, { action: 'deny', by: 'ann\u202e', note: 'too much' });
    const { page } = await dashboard.open(`/ui/approvals?executionId=${done}&call=1`);
    const told = page.getByRole('status').filter({ hasText: 'is already decided' });
    await told.getByText('Call 1 of bank__refund is already decided: denied by ann\\u202e').waitFor();
    expect(await told.innerText()).toContain('Reason: too much');
    expect(await told.getByRole('link').getAttribute('href')).toContain(`/ui/executions/${done}?`);
    expect(await page.getByText('Nothing waits for you').count()).toBe(0);
    await page.getByRole('link', { name: 'Show all' }).click();
    await shows(page, 'other');
    // The server reads the decisions before it receives the own one, and the page has this answer afterwards.
    const read = new Promise<void>((resolve) => {
      void page.route(
        '**/decisions?*',
        async (route) => {
          const response = await route.fetch();
          resolve();
          await page.getByText('1 question denied.').first().waitFor();
          await route.fulfill({ response });
        },
        { times: 1 },
      );
    });
    await page.route(DECISIONS, (route) => read.then(() => route.continue()));
    await page.goto(`${dashboard.server.url}/ui/approvals?executionId=${other}&call=1`);
    await shows(page, 'other');
    await page.keyboard.press('d');
    await page.getByText('is already decided: denied by local').waitFor();
    const cancelled = await refund('cancelled');
    await executions.cancel(cancelled);
    await page.goto(`${dashboard.server.url}/ui/approvals?executionId=${cancelled}&call=1`);
    await page.getByText('Call 1: the execution has ended without a decision. Its status is cancelled.').waitFor();
    await page.goto(`${dashboard.server.url}/ui/approvals?executionId=${crypto.randomUUID()}`);
    await page.getByText('You have no execution').waitFor();
    await executions.resume(done);
  });

  browserTests.it('a question that another person decides is not replaced by the next one', async () => {
    const { executions } = dashboard.server.toolwright;
    const [hal, ivy] = [await refund('hal'), await refund('ivy')];
    const { page } = await dashboard.open('/ui/approvals');
    await shows(page, 'hal');
    await executions.decide(hal, { action: 'deny', by: 'ann' });
    await executions.resume(hal);
    await questionOf(page).getByText('Call 1 of bank__refund is already decided: denied by ann').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await shows(page, 'ivy');
    expect(await executions.decisions(ivy)).toEqual([]);
    await page.keyboard.press('d');
    await page.getByText('Nothing waits for you').waitFor();
    await executions.resume(ivy);
  });

  browserTests.it('a decision about an ended execution or a changed call is refused with the reason', async () => {
    const { executions } = dashboard.server.toolwright;
    const ended = await refund('jon');
    const { page } = await dashboard.open('/ui/approvals');
    await shows(page, 'jon');
    // The page does not receive the end before the person decides.
    await page.route(LISTS, (route) => route.abort());
    await executions.cancel(ended);
    await page.keyboard.press('a');
    await page
      .getByText(/EXECUTION_ENDED: The execution has ended: its status is "cancelled"/)
      .first()
      .waitFor();
    await page.unroute(LISTS);
    const changed = await refund('kay');
    await page.route(LISTS, async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({
        json: {
          ...answer,
          approvals: answer.approvals.map((each: object) => ({ ...each, binding: 'of-other-arguments' })),
        },
      });
    });
    await page.reload();
    await shows(page, 'kay');
    await page.keyboard.press('a');
    await page
      .getByText(/QUESTION_CHANGED: Call 1 of bank__refund is not the call that was shown/)
      .first()
      .waitFor();
    expect(await executions.decisions(changed)).toEqual([]);
    await executions.cancel(changed);
  });

  browserTests.it(
    'after a lost connection, the question comes back, and a second decision changes nothing',
    async () => {
      const { executions } = dashboard.server.toolwright;
      const [first, second] = [await refund('lea'), await refund('max')];
      const { page } = await dashboard.open('/ui/approvals');
      await shows(page, 'lea');
      await page.route(LISTS, (route) => route.abort());
      await page.route(DECISIONS, (route) => route.abort(), { times: 1 });
      await page.keyboard.press('a');
      const lost = page.getByText(/The connection was lost, so the decision may not have arrived/).first();
      await lost.waitFor();
      await page.getByText('2 open').first().waitFor();
      await page.getByRole('button', { name: /bank__refund.*lea/ }).click();
      await page.route(DECISIONS, loseAnswer, { times: 1 });
      await page.keyboard.press('a');
      await until(async () => (await executions.decisions(first)).length === 1);
      await page.getByText('2 open').first().waitFor();
      await page.getByRole('button', { name: /bank__refund.*lea/ }).click();
      await page.keyboard.press('a');
      await page
        .getByText(/ALREADY_DECIDED: .* approve by local. The first decision holds/)
        .first()
        .waitFor();
      await page.unroute(LISTS);
      // The list is loaded again by itself.
      await page.getByText('1 open').first().waitFor();
      await shows(page, 'max');
      expect(await executions.resume(first)).toMatchObject({ status: 'completed', value: 'done refund' });
      expect(await sentCalls(first)).toBe(1);
      await executions.cancel(second);
    },
  );

  browserTests.it('more questions than one page are loaded on demand, and are decided together', async () => {
    const ids = [await refund('mo'), await refund('ned'), await refund('ora')];
    const { page } = await dashboard.open('/ui/executions');
    // The first page is made shorter: 200 waiting calls take long.
    await page.route('**/approvals?*limit=200', async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, approvals: answer.approvals.slice(0, 2) } });
    });
    await page.goto(`${dashboard.server.url}/ui/approvals`);
    await page.getByText('The oldest 2 of 3 questions are loaded').waitFor();
    await page.getByRole('button', { name: 'Deny the 2 shown' }).waitFor();
    await page.getByRole('button', { name: 'Load the other 1' }).click();
    await page.getByRole('button', { name: 'Deny all 3' }).click();
    const dialog = page.getByRole('dialog');
    const calls = dialog.getByRole('list', { name: 'Calls' });
    for (const name of ['mo', 'ned', 'ora']) await calls.getByText(`"${name}"`).waitFor();
    await dialog.getByRole('button', { name: 'Deny 3 calls' }).click();
    await page.getByText('3 questions denied.').first().waitFor();
    await page.getByText('Nothing waits for you').waitFor();
    for (const id of ids) expect(await dashboard.server.toolwright.executions.decisions(id)).toHaveLength(1);
  });

  browserTests.it('a fork whose answer was lost is not started twice', async () => {
    const id = await dashboard.run('return "forked"');
    const { page } = await dashboard.open(`/ui/executions/${id}`);
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.route('**/fork?*', loseAnswer, { times: 1 });
    const run = page.getByRole('button', { name: 'Run the fork' });
    await run.click();
    await page.getByText('The server cannot be reached').waitFor();
    await run.click();
    await page.waitForURL((address) => address.searchParams.get('with') === id);
    const { executions: found } = await dashboard.server.toolwright.executions.find({ text: 'forked' });
    expect(found).toHaveLength(2);
  });

  browserTests.it('an unknown outcome and a question of a server are answered in the page', async () => {
    const [copy, file] = [temporaryFolder(), temporaryFile()];
    const options = {
      ...{ sandbox: 'quickjs', check: false },
      // Such a server has one call with a question at a time.
      mcpServers: {
        ask: { ...fixture('asking', 'legacy', file), protocol: 'legacy' },
        shop: { ...fixture('asking', 'legacy', file), protocol: 'legacy' },
      },
    } as const satisfies ToolwrightOptions;
    const dataDir = temporaryFolder();
    const before = await createToolwright({ ...options, dataDir, waits: { graceMs: 60_000 } });
    const ids: string[] = [];
    const onApproval = ({ executionId }: { readonly executionId: string }) => void ids.push(executionId);
    const running = ['ask', 'shop'].map((name) =>
      before.execute(`return callMCPTool('${name}__book', {})`, { onApproval }),
    );
    await until(() => ids.length === 2);
    // A copy of the folder is like the folder after a crash: nobody knows whether the calls took effect.
    cpSync(dataDir, copy, { recursive: true });
    await endOwners(copy);
    const closing = before.close();
    const after = await startApi({}, { ...options, dataDir: copy, waits: { graceMs: 0 } });
    try {
      const { resume } = after.toolwright.executions;
      for (const id of ids) expect(await resume(id)).toMatchObject({ status: 'suspended', waitingFor: ['outcome'] });
      const { executions: found } = await after.toolwright.executions.find({ text: 'ask__book' });
      const again = found[0]?.id ?? '';
      const happened = ids.find((id) => id !== again) ?? '';
      const { page } = await dashboard.open('/ui/approvals');
      await page.goto(`${after.url}/ui/approvals?executionId=${again}`);
      await questionOf(page).getByText('nobody knows whether it took effect').waitFor();
      await page.keyboard.press('a');
      await questionOf(page).getByRole('button', { name: 'Send it again' }).click();
      await page.getByText('Call 1 of ask__book is already decided: sent again by local').waitFor();
      expect(await resume(again)).toMatchObject({ status: 'suspended', waitingFor: ['input'] });
      const answer = page.getByLabel('Answer, as JSON');
      await questionOf(page).getByText('Who travels?\\u202e').first().waitFor();
      expect(JSON.parse(await answer.inputValue())).toEqual({ email: '', seats: 2, class: 'eco' });
      await answer.fill('{"email": "ann');
      await page.getByText('This is not JSON').waitFor();
      await answer.fill('{"email": "ann@example.com"}');
      await questionOf(page).getByRole('button', { name: 'Answer', exact: true }).click();
      await page.getByText('Call 1 of ask__book is already decided: answered by local').waitFor();
      expect(await resume(again)).toMatchObject({ status: 'completed' });
      await page.getByRole('link', { name: 'Show all' }).click();
      await page.getByLabel('Result of the call').fill('{"booked": 7}');
      await questionOf(page).getByRole('button', { name: 'It happened, with this result' }).click();
      await page.getByText('Nothing waits for you').waitFor();
      expect(await resume(happened)).toMatchObject({ status: 'completed', value: { booked: 7 } });
      expect(existsSync(file) && readFileSync(file, 'utf8').match(/^book .*ann@example.com.*\n$/)).toHaveLength(1);
    } finally {
      await Promise.allSettled([closing, ...running]);
      await after.close();
    }
  });

  browserTests.it(
    'with keys, the link of a notification leads over the login to the question of this user',
    async () => {
      const logger = { info: () => undefined, error: () => undefined };
      const store = memoryStore();
      const keys = apiKeys(store);
      const pay = { description: 'Pays', inputSchema: { type: 'object' } as const, run: async () => 'paid' };
      const keyed = await startApi(
        {
          authenticate: authentication({ keys, logger: partial(logger) }),
          browserLogin: createBrowserLogin({ store, keys, logger: partial(logger) }),
        },
        { tools: { bank: { tools: { pay } } }, policy: { preset: 'careful' }, waits: { graceMs: 0 } },
      );
      try {
        const { text } = await keys.create({ user: 'ann', scopes: [] });
        const linkTo = async (userId: string) => {
          const code = `return await callMCPTool('bank__pay', { to: 'friend of ${userId}' })`;
          const { executionId } = await keyed.toolwright.execute(code, { userId, check: false });
          const [question] = await keyed.toolwright.executions.questions(executionId, userId);
          if (!question) throw new Error('There is no question.');
          const about = { ...question, executionId, userId, language: 'typescript', preview: code };
          const message = messageText([about], keyed.url.replace('127.0.0.1', 'localhost'));
          return /<(http[^|]*)\|decide>/.exec(message)?.[1] ?? '';
        };
        const [own, foreign] = [await linkTo('ann'), await linkTo('bob')];
        const { page } = await dashboard.open('/ui/approvals');
        await page.goto(own);
        await page.getByLabel('API key or token').fill(text);
        await page.keyboard.press('Enter');
        await shows(page, 'friend of ann');
        expect(page.url()).toBe(own);
        await page.keyboard.press('a');
        await page.getByText('is already decided: approved by ann').waitFor();
        await page.goto(foreign);
        await page.getByText('You have no execution').waitFor();
        expect(await page.content()).not.toContain('friend of bob');
      } finally {
        await keyed.close();
      }
    },
  );
});
