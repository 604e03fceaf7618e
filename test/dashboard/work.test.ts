import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { accessibilityProblems } from '../fixtures/browser.ts';
import { browserTests, HOSTILE, useDashboard } from '../fixtures/dashboard.ts';
import { askPolicy, uploadTable } from '../fixtures/dashboard-flows.ts';
import { ask } from '../fixtures/http-server.ts';

/** The bound of a wait. */
const SOON = { timeout: 20_000 };

/** More bytes than the API accepts. */
const TOO_MANY_BYTES = 8 * 1024 * 1024 + 1;
/** Drops two files onto the page. */
const DROP = `(() => {
  const dataTransfer = new DataTransfer();
  for (const name of ['a.txt', 'dropped.txt']) dataTransfer.items.add(new File(['dropped'], name));
  document.querySelector('[data-drop]').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
})()`;
const PAGE = '<html><script>alert(5)</script><img src=x onerror="alert(6)"></html>';
/** Files with hostile names and contents, by their paths. */
const HOSTILE_FILES: Readonly<Record<string, Buffer>> = {
  '<img src=x onerror=alert(7)>"\'&.txt': Buffer.from(HOSTILE),
  'invoice.exe': Buffer.from([0x4d, 0x5a, 0, 0xff]),
  'a ?#100%/..x.txt': Buffer.from('in a folder'),
  'icon.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(8)"><script>alert(9)</script></svg>'),
  'page.html': Buffer.from(PAGE),
  'script.pdf': Buffer.from(PAGE),
  'long.log': Buffer.alloc(1024 * 1024 + 1, 'x'),
};
/** A page with one word. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 36>>stream
BT /F 24 Tf 20 40 Td (Report) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`;
/** The button of each of these files, and the text of its preview. */
const PREVIEWS: readonly (readonly [button: RegExp, ready: RegExp | string])[] = [
  [/onerror=alert\(7\)/, '\\u202e'],
  [/invoice/, 'this is not a text'],
  [/\.\.x\.txt/, 'in a folder'],
  [/icon\.svg/, 'alert(9)'],
  [/page\.html/, 'alert(5)'],
  [/script\.pdf/, 'the file is not a PDF'],
  [/long\.log/, 'Too large for a preview: over 1.0 MiB'],
];

/** Makes a folder `chosen` with the files of a person, and returns its path. */
function makeFiles(): string {
  const folder = join(temporaryFolder(), 'chosen');
  mkdirSync(join(folder, 'deep'), { recursive: true });
  for (const path of ['a.txt', 'b.txt', 'deep/c.txt']) writeFileSync(join(folder, path), `${path} of the person`);
  return folder;
}

/** Clicks a button and returns the text and the name of the file that the browser saves. */
async function saved(page: Page, name: string): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

/** A browser without a window has no viewer of PDF. */
async function withViewer(page: Page): Promise<void> {
  await page.evaluate(`Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true })`);
}

browserTests.describe('work in the dashboard', () => {
  const dashboard = useDashboard();
  const PROGRAM = "const a = await callMCPTool('web__slow', { note: 'a' });\nconsole.log(a);\nreturn a;";

  const LOOP = "for (;;) await callMCPTool('web__slow', { note: 'on and on' });";

  browserTests.it('the journal has a slider, a replay is identical, and the exported test is a file', async () => {
    const id = await dashboard.run(PROGRAM);
    const { page, problems } = await dashboard.open(`/ui/executions/${id}?tab=journal`);
    const slider = page.getByRole('slider', { name: 'Time' });
    await slider.waitFor();
    await page.getByText(/1 calls sent, 1 answered/).waitFor();
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText(/0 calls sent, 0 answered/).waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Replay: identical').waitFor();
    const file = await saved(page, 'Export as test');
    expect(file.name).toMatch(/^[\da-f]{8}\.test\.ts$/);
    expect(file.text).toContain("callMCPTool('web__slow'");
    expect(problems).toEqual([]);
  });

  browserTests.it('personal data is shown on demand, which the server logs', async () => {
    const id = await dashboard.run(
      "const { email } = await callMCPTool('web__customer', {}); await callMCPTool('web__slow', { note: email }); return email;",
    );
    const { page } = await dashboard.open(`/ui/executions/${id}?call=2&tab=call`);
    const details = page.getByRole('region', { name: 'Details' });
    await details
      .getByText(/EMAIL_\d/)
      .first()
      .waitFor();
    expect(await details.getByText('bob@example.com').count()).toBe(0);
    await page.getByLabel('Show personal data (logged)').check();
    await details.getByText('"bob@example.com"').waitFor();
    await page.getByRole('tab', { name: 'Result' }).click();
    await details.getByText('"bob@example.com"').waitFor();
    await page.getByLabel('Show personal data (logged)').uncheck();
    await details
      .getByText(/EMAIL_\d/)
      .first()
      .waitFor();
    const logged = dashboard.server.logged.filter((line) => line.includes('real values'));
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { executionId: id, by: { user: 'local' } },
      { executionId: id, by: { user: 'local' } },
    ]);
    expect(logged.join()).not.toContain('@example.com');
  });

  browserTests.it('two executions are compared call by call', async () => {
    const before = await dashboard.run(PROGRAM);
    const after = await dashboard.run(PROGRAM.replace("note: 'a'", "note: 'changed'"));
    const { page } = await dashboard.open(`/ui/executions/${after}?tab=diff`);
    await page.getByLabel('Compare with').fill(before);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('changed: web__slow').waitFor();
    expect(await page.getByRole('group', { name: 'After' }).first().innerText()).toContain('"changed"');
    expect(page.url()).toContain(`with=${before}`);
  });

  browserTests.it('files are uploaded, CSV is a table, and a file can be deleted', async () => {
    const { id } = await dashboard.server.toolwright.sessions.create({});
    const { page, problems } = await dashboard.open(`/ui/sessions/${id}`);
    await page.getByText('The workspace is empty').waitFor();
    const text = 'name;note\nada;"<b>one;two</b>"\n';
    await uploadTable(page, text);
    await page.getByRole('cell', { name: '<b>one;two</b>' }).waitFor();
    const link = page.getByRole('link', { name: 'Download' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(text);
    await page.getByRole('button', { name: 'Delete file' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The workspace is empty').waitFor();
    expect(problems).toEqual([]);
  });

  browserTests.it('several files are uploaded or dropped, and replaced only after a question', async () => {
    const { sessions } = dashboard.server.toolwright;
    const { id } = await sessions.create({});
    const { page, problems } = await dashboard.open(`/ui/sessions/${id}`);
    const textOf = async (path: string) =>
      (await (await sessions.files(id)).read(`/workspace/${path}`, 1_000)).toString();
    const [folder, big] = [makeFiles(), join(temporaryFolder(), 'big.bin')];
    writeFileSync(big, '');
    truncateSync(big, TOO_MANY_BYTES);
    await page.getByLabel('Upload').setInputFiles([join(folder, 'a.txt'), join(folder, 'b.txt'), big]);
    await page.getByText('2 files uploaded.', { exact: true }).waitFor();
    await page.getByText(/^1 file not uploaded\. big\.bin: TOO_LARGE: 8\.0 MiB are over the limit/).waitFor();
    await page.getByLabel('A whole folder').setInputFiles(folder);
    await page.getByText(/^chosen\/deep\/$/).waitFor();
    expect(await textOf('chosen/deep/c.txt')).toBe('deep/c.txt of the person');
    await (await sessions.files(id)).write('/workspace/a.txt', Buffer.from('of a program'), 'replace');
    await page.evaluate(DROP);
    const dialog = page.getByRole('dialog', { name: /^Replace \d files?\?$/ });
    await dialog.getByText('a.txt', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Keep them, and upload 1 file' }).click();
    await page.getByRole('button', { name: /dropped\.txt/ }).click();
    await page.getByRole('group', { name: 'Text' }).getByText('dropped').waitFor();
    expect([await textOf('a.txt'), page.url()]).toEqual(['of a program', expect.stringContaining('file=dropped.txt')]);
    await page.evaluate(DROP);
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await expect.poll(() => textOf('a.txt')).toBe('dropped');
    const deep = page.getByRole('group').filter({ hasText: 'chosen/deep/' });
    await deep.getByRole('button', { name: 'Delete folder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/^chosen\/deep\/$/).waitFor({ state: 'detached' });
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  browserTests.it('names and contents of files are shown as text', async () => {
    const { sessions } = dashboard.server.toolwright;
    const { id } = await sessions.create({});
    const files = await sessions.files(id);
    await files.makeFolder('/workspace/a ?#100%', true);
    for (const [name, content] of Object.entries(HOSTILE_FILES))
      await files.write(`/workspace/${name}`, content, 'replace');
    const { page, problems } = await dashboard.open(`/ui/sessions/${id}`);
    await withViewer(page);
    const preview = page.getByRole('region', { name: 'Preview' });
    const shown: Record<string, string> = {};
    for (const [part, ready] of PREVIEWS) {
      await page.getByRole('button', { name: part }).click();
      await preview.getByText(ready).first().waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        preview.getByText('Download', { exact: true }).click(),
      ]);
      shown[download.suggestedFilename()] = await preview.innerText();
      const bytes = readFileSync(await download.path());
      expect(Object.values(HOSTILE_FILES).some((content) => bytes.equals(content))).toBe(true);
    }
    const all = (await page.locator('body').innerText()) + Object.entries(shown).flat().join('');
    expect(['\u001b', '\u202e', '\u200b'].filter((hidden) => all.includes(hidden))).toEqual([]);
    expect(await page.locator('main img, main svg, main iframe, #root script').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  browserTests.it('shows a PDF in a frame of its own', async () => {
    const { sessions } = dashboard.server.toolwright;
    const { id } = await sessions.create({});
    await (await sessions.files(id)).write('/workspace/report.pdf', Buffer.from(PDF), 'replace');
    const { page, problems } = await dashboard.open(`/ui/sessions/${id}`);
    await withViewer(page);
    await page.getByRole('button', { name: /report\.pdf/ }).click();
    const frame = page.getByRole('region', { name: 'Preview' }).locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('title')).toBe('report.pdf');
    expect(await frame.getAttribute('src')).toMatch(/^blob:/);
    expect(problems).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  browserTests.it('an open session follows its programs and their files, until it is deleted', async () => {
    const { sessions } = dashboard.server.toolwright;
    const { id } = await sessions.create({});
    const { page } = await dashboard.open(`/ui/sessions/${id}`);
    await page.getByText('The workspace is empty').waitFor();
    const write = (text: string) => `await fs.writeFile('/workspace/notes.txt', ${JSON.stringify(text)}); return 1;`;
    await dashboard.run(write('first'), { sessionId: id });
    await page.getByRole('button', { name: /notes\.txt/ }).click();
    await page.getByRole('group', { name: 'Text' }).getByText('first').waitFor();
    await dashboard.run(write('second'), { sessionId: id });
    await page.getByRole('group', { name: 'Text' }).getByText('second').waitFor();
    await page.getByRole('tab', { name: 'Executions 2' }).click();
    const running = dashboard.run(`return await callMCPTool('bank__refund', { to: 'ada', amount: 1 });`, {
      sessionId: id,
    });
    const list = page.getByRole('list', { name: 'Executions' });
    await list.getByText('waits for approval').waitFor();
    await running;
    expect(await list.getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'Delete session' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await expect(sessions.get(id)).rejects.toMatchObject({ code: 'UNKNOWN_SESSION' });
  });

  browserTests.it('the catalog is searched as an agent does, and the policy is asked about a call', async () => {
    const { page } = await dashboard.open('/ui/servers?tab=catalog');
    await page.getByLabel('Search as an agent does').fill('give money back');
    await page.getByText(/An agent reads [\d,]+ tokens/).waitFor();
    await page.getByRole('button', { name: /bank__refund/ }).click();
    await page.getByRole('region', { name: 'Tool' }).getByText('amount').first().waitFor();
    await askPolicy(page);
  });

  browserTests.it('the figures count executions and failures, and are saved as CSV', async () => {
    await dashboard.run('throw new Error("for the figures")');
    const { page } = await dashboard.open('/ui/overview?hours=24');
    await page.getByText('Tokens saved').waitFor();
    const slow = page.getByRole('region', { name: 'Tools' }).getByRole('row', { name: /web__slow/ });
    expect(await slow.innerText()).toMatch(/^web__slow(\t[\d.]+ m?s){2}(\t\d+){2}$/);
    const file = await saved(page, 'Export CSV');
    expect(file.name).toBe('toolwright-usage-24h.csv');
    expect(file.text).toMatch(/executions/);
    await page.getByRole('link', { name: 'web__slow' }).click();
    await page
      .getByRole('row', { name: /callMCPTool/ })
      .first()
      .waitFor();
    expect(page.url()).toContain('hours=24&tool=web__slow');
  });

  browserTests.it(
    'the overview has dollars, times, the queue, personal data and users, for one user or all',
    async () => {
      const api = (path: string, json: object) => ask(`${dashboard.server.url}/${path}`, { json });
      for (let each = 0; each < 2; each++)
        await dashboard.run("return (await callMCPTool('web__customer', {})).email", { userId: 'grace' });
      await api('task', { task: 'return 1', userId: 'grace' });
      const running = api('execute', { code: LOOP, userId: 'grace', check: false });
      const open = async () =>
        (await ask(`${dashboard.server.url}/executions?userId=grace&status=running`)).body.executions;
      await expect.poll(open, SOON).toHaveLength(1);
      const { page, problems } = await dashboard.open('/ui/overview');
      const figure = (name: string) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
      const numbers = async (name: string) => (await figure(name).innerText()).split('\n').slice(1);
      await page.getByRole('region', { name: 'Users' }).getByRole('link', { name: 'grace' }).waitFor();
      expect(await numbers('Queue')).toEqual(['0', '1 running']);
      const [all] = await numbers('Executions');
      await page.getByRole('link', { name: 'grace' }).click();
      await page.getByRole('link', { name: 'grace ×' }).waitFor();
      await expect.poll(() => numbers('Executions'), SOON).toEqual(['4', '1 open']);
      expect(Number(all)).toBeGreaterThan(4);
      expect(await numbers('Cost of tasks')).toEqual(['$0.0020', '1 task']);
      expect(await numbers('Personal data replaced')).toEqual(['2', '1 type']);
      expect(await numbers('Time, p50')).toEqual([
        expect.stringMatching(/^[\d.]+ m?s$/),
        expect.stringMatching(/^p95 [\d.]+ m?s$/),
      ]);
      const personal = page.getByRole('region', { name: 'Personal data' });
      expect(await personal.getByRole('row').allInnerTexts()).toEqual([expect.stringMatching(/^Type/), 'EMAIL\t2']);
      for (const { executionId } of await open()) await api(`executions/${executionId}/cancel?userId=grace`, {});
      await running;
      await page.getByRole('combobox', { name: 'Time' }).selectOption('Last day');
      await page.waitForURL(/hours=24/);
      await expect.poll(() => numbers('Queue'), SOON).toEqual(['0', '0 running']);
      await page.getByRole('combobox', { name: 'Time' }).selectOption('From … until …');
      await page.getByLabel('Until', { exact: true }).fill('2026-01-01T08:00');
      await page.getByText('INVALID_REQUEST').waitFor();
      await page.getByLabel('From', { exact: true }).fill('2025-12-31T08:00');
      await page.getByText('No executions in this time').waitFor();
      await page.getByRole('link', { name: 'grace ×' }).click();
      await page.waitForURL((url) => !url.searchParams.has('userId'));
      expect(problems).toEqual([]);
    },
  );

  browserTests.it('the keys j, k and / work in lists of sessions, skills, tools and calls', async () => {
    const { toolwright } = dashboard.server;
    for (const name of ['first-skill', 'other-skill'])
      await toolwright.skills().save({ name, description: 'Does it.', code: 'export default () => 1;' });
    for (let each = 0; each < 2; each++) await toolwright.sessions.create({});
    const id = await dashboard.run("await callMCPTool('web__slow', {}); await callMCPTool('web__customer', {});");
    const { page } = await dashboard.open('/ui/sessions');
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.locator(':focus');
    const items = page.locator('main li');
    await items.nth(1).waitFor();
    // The list is live: a session that a program opens or uses is the first.
    const { id: used } = await toolwright.sessions.create({});
    await dashboard.run('return "in a session"', { sessionId: used });
    await items.first().getByRole('link', { name: used }).waitFor();
    await press('j', 'j', 'k', 'ArrowDown');
    const second = items.nth(1).getByRole('link');
    expect(await focused().innerText()).toBe(await second.innerText());
    await press('Enter');
    await page.waitForURL(/sessions\/./);
    await page.getByRole('link', { name: 'Skills' }).click();
    await items.nth(1).waitFor();
    await press('/');
    await page.keyboard.type('other');
    await items.nth(1).waitFor({ state: 'detached' });
    await press('Escape', 'j', 'Enter');
    await page.waitForURL(/name=other-skill/);
    // Escape leaves the search with its words.
    expect(await page.getByLabel('Search skills').inputValue()).toBe('other');
    await page.goto(`${dashboard.server.url}/ui/servers?tab=catalog`);
    await items.nth(1).waitFor();
    await press('j', 'End', 'Home', 'j', 'Enter');
    await expect.poll(() => items.nth(1).getByRole('button').getAttribute('aria-current'), SOON).toBe('true');
    await press('/');
    expect(await focused().getAttribute('aria-label')).toBe('Search as an agent does');
    await page.goto(`${dashboard.server.url}/ui/executions/${id}`);
    const calls = page.getByRole('treegrid', { name: 'Tool calls' });
    await calls.getByRole('row', { name: /web__slow/ }).waitFor();
    await press('/');
    await page.keyboard.type('customer answered');
    await calls.getByRole('row', { name: /web__slow/ }).waitFor({ state: 'detached' });
    await calls.getByRole('row', { name: /web__customer/ }).waitFor();
    await page.goto(`${dashboard.server.url}/ui/approvals`);
    await page.getByLabel('Show calls with').waitFor();
    await press('/');
    expect(await focused().getAttribute('aria-label')).toBe('Show calls with');
  });

  browserTests.it('an unknown execution and an unreachable server are errors with a way on', async () => {
    const { page } = await dashboard.open('/ui/executions/11111111-1111-4111-8111-111111111111');
    await page.getByText('UNKNOWN_EXECUTION').waitFor();
    await page.route('**/sessions?*', (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL', detail: 'Broken.' } }),
    );
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('INTERNAL (500)').waitFor();
    await page.unroute('**/sessions?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByText('INTERNAL (500)').waitFor({ state: 'detached' });
  });
});
