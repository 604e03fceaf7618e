import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { type Look, layoutProblems, type OpenPage, openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests, HOSTILE } from '../fixtures/dashboard.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { MAX_PICTURE_BYTES, pictureBytes } from '../fixtures/pictures.ts';

const BUILD = `
import { buildWorkflow, validateWorkflow } from './servers/n8n-workflows/index.js';
const draft = await buildWorkflow('Answer mails of ada@example.org', [
  { type: 'webhook', name: 'In', parameters: { path: 'in' } },
  { type: 'if', name: 'Check' },
  { type: '@n8n/n8n-nodes-langchain.agent', name: 'Agent' },
  { type: 'lmChatOpenAi', name: 'Model' },
  { type: 'httpRequest', name: 'Call' },
], { connections: ['In -> Check', 'Check [true] -> Agent', 'Check [false] -> Call', 'Model (ai_languageModel) -> Agent'] });
draft.nodes[4].disabled = true;
return validateWorkflow(draft);`;
const named = (name: string, more: object = {}) => ({ name, type: `x.${name}`, typeVersion: 1, ...more });
/** A workflow with hostile names, types and connections. */
const EVIL = {
  name: HOSTILE,
  nodes: [named(HOSTILE), named('B', { parameters: { x: HOSTILE } }), named('')],
  connections: {
    [HOSTILE]: {
      [HOSTILE]: [[{ node: 'B', type: 'main', index: 0 }]],
      main: [[{ node: 'gone', type: 'main', index: 0 }]],
    },
    B: { main: [[{ node: HOSTILE, type: 'main', index: 0 }]] },
  },
};

browserTests.describe('drafts of n8n workflows in the dashboard', () => {
  let server: HttpServer;
  let browser: Browser;
  let sessionId: string;
  const drafts = { good: '', evil: '' };
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startApi({}, { plugins: [n8nPlugin({ catalog: 'example' })] }),
      startBrowser(),
    ]);
    const { toolwright } = server;
    sessionId = (await toolwright.sessions.create({})).id;
    const run = async (code: string) => {
      const result = await toolwright.execute(code, { sessionId, check: false });
      expect(result.status).toBe('completed');
      return result.executionId;
    };
    drafts.good = await run(BUILD);
    drafts.evil = await run(
      `return await callMCPTool('n8n-workflows__validateWorkflow', { workflow: ${JSON.stringify(EVIL)} })`,
    );
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  const open = (path: string, look?: Look): Promise<OpenPage> => openPage(browser, `${server.url}${path}`, look);
  const nodes = (page: Page) => page.getByRole('list', { name: 'Nodes of the drawing' });

  browserTests.it('a session has its drafts, and a draft is drawn with its problems at their nodes', async () => {
    const { page, problems } = await open(`/ui/sessions/${sessionId}`);
    await page.getByRole('tab', { name: 'n8n drafts' }).click();
    const rows = page
      .getByRole('list', { name: 'n8n drafts' })
      .getByRole('listitem')
      .filter({ hasText: 'Answer mails' });
    await rows
      .first()
      .getByText(/warning|error/)
      .waitFor();
    await rows.last().getByText('not validated').waitFor();
    await page
      .getByRole('link', { name: /Answer mails of \[EMAIL_1\]/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /Answer mails/ }).waitFor();
    expect(await page.locator('.placeholder').first().innerText()).toBe('[EMAIL_1]');
    expect(await nodes(page).getByRole('button').allInnerTexts()).toEqual([
      expect.stringMatching(/^In\s+webhook$/),
      expect.stringMatching(/^Check\s+if/),
      expect.stringMatching(/^Agent\s+agent/),
      expect.stringMatching(/^Model\s+lmChatOpenAi\s+× 1 error$/),
      expect.stringMatching(/^Call\s+httpRequest, disabled/),
    ]);
    await nodes(page)
      .getByRole('button', { name: /^Model/ })
      .click();
    await page.getByRole('region', { name: 'Node', exact: true }).getByText('CREDENTIAL').first().waitFor();
    expect(await page.getByRole('list', { name: 'Connections' }).getByRole('listitem').allInnerTexts()).toEqual([
      ...['In → Check', 'Check → Agent', 'Check, output 1 → Call', 'Model (ai_languageModel) → Agent'],
    ]);
    // Four lines, of which that of the model is dashed.
    expect(await page.locator('svg path[marker-end]').count()).toBe(4);
    expect(await page.locator('svg path[stroke-dasharray]').count()).toBe(1);
    await page.reload();
    await page.getByRole('button', { name: /^Model/, pressed: true }).waitFor();
    expect(problems).toEqual([]);
  });

  browserTests.it('the keyboard alone goes from node to node, and chooses one', async () => {
    const { page } = await open(`/ui/pages/n8n-drafts/${drafts.good}/2`);
    const node = (name: RegExp) => nodes(page).getByRole('button', { name });
    await page.getByRole('button', { name: 'Larger' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate('document.activeElement?.textContent');
    expect(await focused()).toMatch(/^In/);
    for (const [key, name] of [
      ...[
        ['ArrowRight', 'Check'],
        ['ArrowRight', 'Agent'],
        ['ArrowDown', 'Model'],
        ['ArrowUp', 'Agent'],
      ],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toMatch(new RegExp(`^${name}`));
    }
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Agent/, pressed: true }).waitFor();
    expect(await node(/^In/).getAttribute('tabindex')).toBe('-1');
  });

  browserTests.it('hostile names, types and connections are shown as text', async () => {
    const { page, problems } = await open('/ui/pages/n8n-drafts');
    await page.getByRole('link', { name: /<img src=x/ }).click();
    await page.getByRole('heading', { name: /<script>alert\(3\)<\/script>/ }).waitFor();
    const text = await page.locator('main').innerText();
    expect(['\u001b', '\u202e', '\u200b'].filter((hidden) => text.includes(hidden))).toEqual([]);
    expect(text).toContain('invoice\\u202egpj.exe');
    expect(text).toContain('(no such node)');
    expect(await page.locator('img[onerror], svg[onload], #root script').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  for (const look of [{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] as const) {
    const width = 'width' in look ? `${look.width} pixels wide` : 'wide';
    browserTests.it(`the screens of drafts are accessible: ${look.theme}, ${width}`, async () => {
      const { page, problems } = await open('/ui/pages/n8n-drafts', look);
      await page
        .getByRole('link', { name: /Answer mails/ })
        .first()
        .waitFor();
      const found = [await layoutProblems(page)];
      for (const place of [`${drafts.good}/1`, `${drafts.good}/2`, `${drafts.evil}/1`]) {
        await page.goto(`${server.url}/ui/pages/n8n-drafts/${place}?node=1`);
        await nodes(page).getByRole('button').first().waitFor();
        found.push(await layoutProblems(page));
      }
      expect(found.flat()).toEqual([]);
      expect(problems).toEqual([]);
    });
  }

  browserTests.it('screenshot for the documentation', async () => {
    const { page } = await open(`/ui/pages/n8n-drafts/${drafts.good}/2?node=3`, { width: 1200 });
    await nodes(page).getByRole('button').first().waitFor();
    expect(await pictureBytes(page, 'draft')).toBeLessThanOrEqual(MAX_PICTURE_BYTES);
  });

  browserTests.it('a call without a draft is an error with a way on', async () => {
    const { page } = await open(`/ui/pages/n8n-drafts/${drafts.good}/9`);
    await page.getByText('UNKNOWN_EXECUTION').waitFor();
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: 'n8n drafts' }).click();
    await page
      .getByRole('link', { name: /Answer mails/ })
      .first()
      .waitFor();
  });
});
