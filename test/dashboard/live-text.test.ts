import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Model } from '../../packages/server/src/models/model.ts';
import { scriptedModel } from '../../packages/server/src/models/scripted.ts';
import { accessibilityProblems, openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { type DroppingProxy, startDroppingProxy } from '../fixtures/dropping-proxy.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { type Desk, openTaskDesk } from '../fixtures/tasks.ts';

/** A model whose answers have pieces. It sends each of them when the test asks for it. */
function pacedModel() {
  const wanted: string[] = [];
  let wake: () => void = () => undefined;
  const model: Model = {
    ...scriptedModel([{}]),
    async answer(request) {
      const { onText, messages, signal } = request;
      let text = '';
      for (;;) {
        while (wanted.length === 0) {
          signal.throwIfAborted();
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
        const piece = wanted.shift() ?? '';
        const isCall = piece.startsWith('return ');
        const id = `call-${messages.length}`;
        const calls = isCall ? [{ id, tool: 'execute_code', input: { code: piece } }] : [];
        if (isCall || piece === 'END')
          return { message: { role: 'assistant', text, calls }, end: isCall ? 'calls' : 'stop' };
        text += piece;
        onText?.(piece);
      }
    },
  };
  return {
    model,
    /** Sends pieces. A program ends an answer with a call, and `END` ends it without one. */
    send(...pieces: readonly string[]) {
      wanted.push(...pieces);
      wake();
    },
  };
}

browserTests.describe('the text of a running task in the dashboard', () => {
  const { model, send } = pacedModel();
  let desk: Desk;
  let server: HttpServer;
  let proxy: DroppingProxy;
  let browser: Browser;
  beforeAll(async () => {
    desk = await openTaskDesk(model);
    [server, browser] = await Promise.all([
      startApi({ tasks: desk.tasks }, { dataDir: desk.dataDir, store: 'sqlite' }),
      startBrowser(),
    ]);
    proxy = await startDroppingProxy(server.url);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await server?.close();
    await desk?.close();
  });

  /** Starts a task and opens the screen of its session. */
  const start = async (task: string, width = 1280) => {
    const { id, sessionId } = await desk.tasks.start({ task });
    const opened = await openPage(browser, `${proxy.url}/ui/sessions/${sessionId}?tab=tasks`, { width });
    return { ...opened, id, live: opened.page.getByRole('region', { name: 'Live text' }) };
  };
  const textOf = async (page: Page) => (await page.getByRole('tabpanel').innerText()).replaceAll(/\s+/g, ' ');
  const shows = (page: Page, text: string) => page.getByRole('tabpanel').getByText(text).waitFor();

  browserTests.it('text and programs appear while the model writes them, with placeholders', async () => {
    const { page, live, problems, id } = await start('Write to ada@example.org');
    send('I write to [EMA');
    await live.getByText('I write to [EMA').waitFor();
    send('IL_1] ', 'now.');
    await live.getByText('now.').waitFor();
    expect(await live.locator('.placeholder').innerText()).toBe('[EMAIL_1]');
    send('return 6 * 7');
    await live.getByText('completed').waitFor();
    await live.getByText('Program', { exact: true }).click();
    await live.getByText('return 6 * 7').waitFor();
    send('It was ', 'sent to [EMAIL_1].');
    await live.getByText('It was sent to').waitFor();
    expect(await textOf(page)).not.toContain('ada@');
    expect((await desk.tasks.get(id)).status).toBe('running');
    expect(await accessibilityProblems(page)).toEqual([]);
    send('END');
    await live.waitFor({ state: 'detached' });
    const final = await textOf(page);
    expect(final.split('It was sent to').length).toBe(2);
    expect(problems).toEqual([]);
  });

  browserTests.it('after a reload and on a phone, the text is there once', async () => {
    const { page, live } = await start('Count to four', 390);
    send('one ', 'two ');
    await live.getByText('one two').waitFor();
    await page.reload();
    await live.getByText('one two').waitFor();
    send('three ', 'four');
    await live.getByText('one two three four').waitFor();
    expect(await textOf(page)).toMatch(/^((?!one).)*one two three four((?!one).)*$/);
    expect(await accessibilityProblems(page)).toEqual([]);
    send('END');
    await live.waitFor({ state: 'detached' });
  });

  browserTests.it('after a lost connection, the text goes on where it ended', async () => {
    const { page, live } = await start('Count on');
    send('one ', 'two ');
    await live.getByText('one two').waitFor();
    proxy.drop();
    await page.getByText('Connection lost. This page').waitFor();
    send('three ');
    await page.waitForTimeout(200);
    expect(await textOf(page)).not.toContain('three');
    proxy.restore();
    await live.getByText('one two three').waitFor();
    send('four ', 'return 1');
    await live.getByText('completed').waitFor();
    send('five', 'END');
    await shows(page, 'five');
    await live.waitFor({ state: 'detached' });
  });

  browserTests.it('a hidden page has no stream, and continues it when it is visible again', async () => {
    const { page, live } = await start('Hide');
    send('one ');
    await live.getByText('one').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/tasks\/[^/]+\/events/.test(request.url())) asked.push(new URL(request.url()).search);
    });
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await setHidden(true);
    send('two ');
    await page.waitForTimeout(200);
    expect(await live.innerText()).not.toContain('two');
    await setHidden(false);
    await live.getByText('one two').waitFor();
    expect(asked).toEqual([expect.stringMatching(/after=[1-9]/)]);
    send('END');
    await live.waitFor({ state: 'detached' });
  });
});
