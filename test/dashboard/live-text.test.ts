import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Task } from '../../packages/server/src/agent/task.ts';
import type { Model } from '../../packages/server/src/models/model.ts';
import { scriptedModel } from '../../packages/server/src/models/scripted.ts';
import { accessibilityProblems, openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests, HOSTILE } from '../fixtures/dashboard.ts';
import { type DroppingProxy, startDroppingProxy } from '../fixtures/dropping-proxy.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';
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
  let interrupted: Task;
  beforeAll(async () => {
    const before = await openTaskDesk(model);
    interrupted = await before.tasks.start({ task: 'Go on later' });
    await until(async () => (await before.tasks.get(interrupted.id)).status === 'running', 30_000);
    await before.close();
    desk = await openTaskDesk(model, { dataDir: before.dataDir });
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

  const openTasks = async (sessionId: string, width = 1280) => {
    const opened = await openPage(browser, `${proxy.url}/ui/sessions/${sessionId}?tab=tasks`, { width });
    const region = (name: string) => opened.page.getByRole('region', { name });
    return { ...opened, live: region('Live text'), work: region('Work') };
  };
  /** Starts a task and opens the screen of its session. */
  const start = async (task: string, width?: number) => {
    const { id, sessionId } = await desk.tasks.start({ task });
    return { ...(await openTasks(sessionId, width)), id };
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
    await live.getByText('return 6 * 7').waitFor();
    await live.getByRole('group', { name: 'Result' }).getByText('42').waitFor();
    send('It was ', 'sent to [EMAIL_1].');
    await live.getByText('It was sent to').waitFor();
    expect(await textOf(page)).not.toContain('ada@');
    expect((await desk.tasks.get(id)).status).toBe('running');
    expect(await accessibilityProblems(page)).toEqual([]);
    send('END');
    await live.waitFor({ state: 'detached' });
    // The work stays, and the answer is there once.
    await page.getByRole('region', { name: 'Work' }).getByText('return 6 * 7').waitFor();
    const final = await textOf(page);
    expect(final.split('It was sent to').length).toBe(2);
    expect(problems).toEqual([]);
  });

  browserTests.it('the work on an ended task is loaded on demand, and its texts are shown as text', async () => {
    const { id, sessionId } = await desk.tasks.start({ task: 'Write to ada@example.org' });
    send(`I write to [EMAIL_1]. ${HOSTILE}`, `return [\n${'  1,\n'.repeat(20)}].length`);
    send(`return missing(${JSON.stringify(HOSTILE)})`, 'Done for [EMAIL_1].', 'END');
    const { executions } = await desk.tasks.ended(id);
    const { page, problems, work } = await openTasks(sessionId);
    await page.getByText('Done for ada@example.org.').waitFor();
    expect(await work.count()).toBe(0);
    await page.getByRole('button', { name: 'Show the work' }).click();
    await work.getByRole('group', { name: 'Result' }).getByText('20').waitFor();
    expect(await work.locator('.placeholder').innerText()).toBe('[EMAIL_1]');
    const programs = work.getByRole('group', { name: 'Program' });
    await programs.getByText('return missing').waitFor();
    // The program with many lines is closed.
    expect(await programs.count()).toBe(1);
    await work.getByText('Program, 22 lines').click();
    await work.getByText('].length').waitFor();
    await work.getByRole('group', { name: 'Error' }).getByText('missing').waitFor();
    const text = await work.innerText();
    expect([text.includes('<script>alert(3)</script>'), text.includes('\u202e'), text.includes('Done for')]).toEqual([
      ...[true, false, false],
    ]);
    expect(await work.locator('img, svg, script').count()).toBe(0);
    const links = await work.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual(executions.map((execution) => expect.stringContaining(`/executions/${execution.id}?`)));
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  browserTests.it('a running task is cancelled', async () => {
    const { page, live, id } = await start('Stop this');
    send('one ');
    await live.getByText('one').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await shows(page, 'cancelled');
    expect((await desk.tasks.get(id)).status).toBe('cancelled');
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
  });

  browserTests.it('an interrupted task is resumed', async () => {
    const { page, live } = await openTasks(interrupted.sessionId);
    await shows(page, 'interrupted');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    send('It goes on.');
    await live.getByText('It goes on.').waitFor();
    send('END');
    await shows(page, 'completed');
  });

  browserTests.it('the tasks of a session have pages', async () => {
    const { sessionId, id } = await desk.tasks.start({ task: 'the oldest' });
    send('done', 'END');
    await desk.tasks.ended(id);
    const asked: (string | null)[][] = [];
    const { page } = await openTasks(sessionId);
    await page.route(/\/tasks\?/, async (route) => {
      const url = new URL(route.request().url());
      const cursor = url.searchParams.get('cursor');
      asked.push([url.searchParams.get('sessionId'), cursor]);
      url.searchParams.delete('cursor');
      const answer = await (await route.fetch({ url: url.href })).json();
      const [task] = answer.tasks;
      const newer = { tasks: [{ ...task, taskId: 'newer', task: 'a newer one' }], nextCursor: 'newer' };
      await route.fulfill({ json: cursor === null ? newer : answer });
    });
    await page.reload();
    await shows(page, 'a newer one');
    expect(await page.getByText('the oldest').count()).toBe(0);
    await page.getByRole('button', { name: 'Load more' }).click();
    await shows(page, 'the oldest');
    await page.close();
    expect(asked).toContainEqual([sessionId, null]);
    expect(asked).toContainEqual([sessionId, 'newer']);
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
