import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { accessibilityProblems, openPage, startBrowser } from '../fixtures/browser.ts';
import { browserTests } from '../fixtures/dashboard.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const MIB = 1024 * 1024;
/** One line, as a log of a build or a minified script has it. */
const LINE = 'x'.repeat(10 * MIB);
/** A document with everything that a page must not run, load or follow. */
const DOCUMENT = `# Sales in May

The total is **7 units**, see [site](javascript:alert(2)) and ![chart](https://example.com/a.png).

- north
- south

<img src=x onerror=alert(1)>
`;

browserTests.describe('the details of an execution in the dashboard', () => {
  const dataDir = temporaryFolder();
  let calls = 0;
  let wait = (): Promise<unknown> => {
    calls++;
    return new Promise(() => undefined);
  };
  const tools = {
    line: { description: 'Returns a long line', inputSchema: { type: 'object' }, run: async () => ({ line: LINE }) },
    // It only reads, so that a resumed execution calls it again.
    wait: {
      ...{ description: 'Waits', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      run: () => wait(),
    },
  } as const;
  const made = { dataDir, tools: { web: { tools } } };
  let server: HttpServer;
  let browser: Browser;
  let interrupted: readonly [string, string];
  beforeAll(async () => {
    const before = await createToolwright({ ...made, sandbox: 'quickjs', check: false });
    for (const name of ['first', 'second'])
      void before.execute(`await callMCPTool('web__wait'); return '${name}'`).catch(() => undefined);
    await until(() => calls === 2);
    const { executions } = await before.executions.find();
    interrupted = executions.map(({ id }) => id) as unknown as readonly [string, string];
    await before.close({ handOver: true });
    wait = async () => 'waited';
    [server, browser] = await Promise.all([startApi({}, made), startBrowser()]);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = (path: string) => openPage(browser, `${server.url}${path}`);
  const run = async (code: string, more = {}) =>
    (await server.toolwright.execute(code, { check: false, ...more })).executionId;

  browserTests.it('images, tables and documents are shown, and all files are downloads', async () => {
    const image = sharp({ create: { width: 8, height: 4, channels: 3, background: '#c03' } });
    const png = (await image.png().toBuffer()).toString('base64');
    const id = await run(`
      await fs.writeFile('chart.png', '${png}', 'base64');
      await fs.writeFile('drawn.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
      await fs.writeFile('sales.csv', 'region,total\\nnorth,7\\n');
      await fs.writeFile('report.md', ${JSON.stringify(DOCUMENT)});
      for (const name of ['chart.png', 'drawn.svg', 'sales.csv', 'report.md']) await show(name);
      return Array.from({ length: 20_000 }, (_, row) => 'row ' + row);`);
    const { page, problems } = await open(`/ui/executions/${id}?tab=files`);
    await page.getByText('the complete result').waitFor();
    await page.getByRole('img', { name: 'chart.png' }).waitFor();
    await page.getByRole('img', { name: 'drawn.svg' }).waitFor();
    await page.getByRole('cell', { name: 'north' }).waitFor();
    await expect
      .poll(() => page.evaluate('document.querySelector("main img").naturalWidth'), { timeout: 20_000 })
      .toBe(8);
    const document = page.getByRole('group', { name: 'Document' });
    await document.getByText('Sales in May').waitFor();
    expect(await document.locator('strong').innerText()).toBe('7 units');
    expect(await document.getByRole('listitem').count()).toBe(2);
    // Markup, pictures and links of a document are text.
    expect(await document.innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await document.innerText()).toContain('site (javascript:alert(2))');
    expect(await document.locator('a, img, script').count()).toBe(0);
    expect(await page.locator('main svg[onload], main script').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    const names = await page.getByRole('link', { name: /^Download/ }).all();
    expect(names).toHaveLength(5);
    for (const link of names) {
      const [saved] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(saved.suggestedFilename()).toMatch(/^(chart\.png|drawn\.svg|sales\.csv|report\.md|[\w-]+\.json)$/);
    }
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByText('The start of a result of').waitFor();
    expect(problems).toEqual([]);
  });

  browserTests.it('an error has its code, its fix, its line, and the mark at this line', async () => {
    const id = await run("const data = await callMCPTool('web__line', {});\nreturn data.rows.map((row) => row.id);");
    const { page, problems } = await open(`/ui/executions/${id}`);
    const error = page.getByRole('group', { name: 'Error' });
    await error.getByText('GUEST_ERROR').waitFor();
    await error.getByText(/^Line 2, column \d+\./).waitFor();
    const text = await error.innerText();
    expect(text).toMatch(/Fix.*\bline\b/);
    await page.locator('[data-line="2"].bg-bad-back').waitFor();
    await page.getByRole('button', { name: 'Line 1: 1 call' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  browserTests.it('parts of JSON are opened and closed, and long lists continue on demand', async () => {
    const id = await run(
      `return { list: Array.from({ length: 250 }, (_, row) => 'row ' + row), a: { b: { c: 'deep' } } }`,
    );
    const { page } = await open(`/ui/executions/${id}`);
    const branch = (name: string) => page.locator('summary', { hasText: new RegExp(`^${name}:`) });
    await branch('list').getByText('250 items').waitFor();
    await branch('list').click();
    await page.getByText('"row 99"').waitFor();
    expect(await page.getByText('"row 100"').count()).toBe(0);
    await page.getByRole('button', { name: '150 more' }).click();
    await page.getByText('"row 249"').waitFor();
    await branch('list').click();
    await page.getByText('"row 99"').waitFor({ state: 'detached' });
    expect(await page.getByText('"deep"').count()).toBe(0);
    await branch('b').click();
    await page.getByText('"deep"').waitFor();
    await page.getByRole('tab', { name: 'Stats' }).click();
    await page.getByRole('tabpanel').getByText('toolCalls').waitFor();
  });

  browserTests.it('an interrupted execution is resumed or deleted', async () => {
    const [first, second] = interrupted;
    const { page, problems } = await open(`/ui/executions/${first}`);
    await page.getByText('interrupted').first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/^"(first|second)"$/).waitFor();
    expect((await server.toolwright.executions.get(first)).status).toBe('completed');
    await page.goto(`${server.url}/ui/executions/${second}`);
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.goto(`${server.url}/ui/executions/${first}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('grid', { name: 'Executions' }).waitFor();
    await expect(server.toolwright.executions.get(first)).rejects.toMatchObject({ code: 'UNKNOWN_EXECUTION' });
    expect(problems).toEqual([]);
  });

  browserTests.it('a line of 10 MiB is cut on the screen, and saved whole', async () => {
    const { id: sessionId } = await server.toolwright.sessions.create();
    const id = await run(
      `const { line } = await callMCPTool('web__line');
      console.log(line.slice(0, 60_000));
      await fs.writeFile('line.txt', line.slice(0, 1_000_000));
      return line;`,
      { sessionId },
    );
    const { page, problems } = await open(`/ui/executions/${id}?tab=logs`);
    await page
      .getByText(/x{100}/)
      .first()
      .waitFor();
    const characters = async () => (await page.getByRole('main').innerText()).length;
    expect(await characters()).toBeLessThan(200_000);
    await page.getByRole('tab', { name: 'Result' }).click();
    await page.getByText('The start of a result of 10').waitFor();
    expect(await characters()).toBeLessThan(200_000);
    await page.goto(`${server.url}/ui/executions/${id}?tab=call&call=1`);
    await page.getByRole('button', { name: 'Show the result over 16 KiB' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the result' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({ line: LINE });
    expect(await characters()).toBeLessThan(200_000);
    await page.goto(`${server.url}/ui/sessions/${sessionId}?file=line.txt`);
    await page.getByRole('group', { name: 'Text' }).waitFor();
    expect(await characters()).toBeLessThan(200_000);
    expect(problems).toEqual([]);
  });
});
