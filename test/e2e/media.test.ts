import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import type { InlineTool } from '../../packages/connectors/src/inline/inline.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { readMedia } from '../../packages/server/src/media/read-media.ts';
import type { ModelRequest } from '../../packages/server/src/models/model.ts';
import { scriptedModel } from '../../packages/server/src/models/scripted.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';
import { eventsOf, openTaskDesk } from '../fixtures/tasks.ts';

const PNG = (
  await sharp({ create: { width: 8, height: 4, channels: 3, background: '#c03' } })
    .png()
    .toBuffer()
).toString('base64');
const WAV = Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1').toString('base64');
/** A photograph, as a browser takes it. Random pixels cannot be compressed. */
const LARGE = (
  await sharp({
    create: {
      width: 2_600,
      height: 1_500,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })
    .jpeg({ quality: 95 })
    .toBuffer()
).toString('base64');

/** Returns a tool that answers with one value. */
function answers(value: unknown): InlineTool {
  return { description: 'Returns media', inputSchema: { type: 'object' }, run: async () => value } as InlineTool;
}

const block = (data: string, mimeType = 'image/png') => ({ type: mimeType.split('/')[0], mimeType, data });
const tools = {
  shot: answers(block(PNG)),
  sound: answers(block(WAV, 'audio/wav')),
  photo: answers(block(LARGE, 'image/jpeg')),
  resource: answers({ type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: PNG } }),
  wrong: answers(block(PNG, 'image/jpeg')),
  text: answers(block(Buffer.from('no image at all').toString('base64'))),
  broken: answers(block('%%%')),
  mail: answers('ada.lovelace@analytical.example'),
};
const everything = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);
const dataDir = temporaryFolder();
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
const api = await startApi(
  {},
  {
    dataDir,
    sandbox: 'auto',
    tools: { camera: { tools } },
    mcpServers: { everything: { command: process.execPath, args: [everything, 'stdio'] } },
  },
);
const { toolwright } = api;
const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
afterAll(async () => {
  await endpoint.close();
  await api.close();
});

const authInfo: AuthInfo = { token: 't', clientId: 'local', scopes: [], extra: { user: 'local' } };
const client = new Client({ name: 'media', version: '1' });
await client.connect(
  new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), {
    fetch: (url, init) => endpoint.fetch(new Request(url, init), { authInfo }),
  }),
);

async function call(code: string, more: object = {}, meta: Record<string, unknown> = {}) {
  const result = await client.callTool({ name: 'execute_code', arguments: { code, ...more }, _meta: meta });
  const content = result.content as { type: string; text?: string; data?: string; mimeType?: string }[];
  return { ...result, text: content[0]?.text ?? '', blocks: content.slice(1) };
}

describe('a client of the MCP server', () => {
  test('receives the image of a real server that a program returns, and no base64 in text', async () => {
    const { text, blocks, structuredContent, _meta } = await call(
      'return await callMCPTool("everything__get-tiny-image", {})',
      {},
      { 'toolwright/data': true },
    );
    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect(Buffer.from(String(blocks[0]?.data), 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(text).toMatch(/"path":"\/workspace\/results\/[\w-]+-1\.png","bytes":\d+/);
    expect(text).not.toContain(String(blocks[0]?.data).slice(0, 40));
    // Some clients drop the content when there is structured content.
    expect([structuredContent, _meta?.['toolwright/execution']]).toEqual([undefined, undefined]);
  });

  test.each([
    ['typescript', 'await show(await callMCPTool("camera__shot")); return "done"'],
    ['python', 'show(await call_mcp_tool("camera__shot"))\nresult = "done"'],
  ])('receives the image that a %s program shows', async (language, code) => {
    const { text, blocks } = await call(code, { language });
    expect([text, blocks]).toEqual(['done', [{ type: 'image', mimeType: 'image/png', data: PNG }]]);
  });

  test('receives the picture in a file, a recording and an embedded resource, in the order of the program', async () => {
    const { blocks } = await call(
      `const shot = await callMCPTool('camera__shot');
await fs.writeFile('shot.png', shot.data, 'base64');
await Promise.all([show('shot.png'), show(await callMCPTool('camera__sound'))]);
return { all: [await callMCPTool('camera__resource')] };`,
    );
    expect(blocks.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'audio/wav', 'image/png']);
  });

  test('receives a large image scaled down', async () => {
    const { blocks, text } = await call('return [await callMCPTool("camera__photo")]');
    const bytes = Buffer.from(String(blocks[0]?.data), 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 1_568, format: 'jpeg' });
    expect(bytes.length).toBeLessThan(1_500_000);
    expect(text).toContain(`"bytes":${Buffer.from(LARGE, 'base64').length}`);
  });

  test('receives the type of the content, also when the server claims another', async () => {
    expect((await call('return await callMCPTool("camera__wrong")')).blocks).toMatchObject([{ mimeType: 'image/png' }]);
  });
});

describe('a value that is no image', () => {
  test.each([
    [
      'a text in an image block',
      'camera__text',
      /image\/png is not an image or a recording that models read: it has 15 bytes and begins with 6e6f20696d616765/,
    ],
    ['data that is not base64', 'camera__broken', /The data of the image \(image\/png\) is not base64/],
  ])('is named: %s', async (_name, tool, problem) => {
    expect((await call(`await show(await callMCPTool("${tool}"))`)).text).toMatch(problem);
    const { text, blocks } = await call(`return await callMCPTool("${tool}")`);
    expect([blocks, text]).toEqual([[], expect.stringMatching(problem)]);
  });

  test.each([
    ['await show("none.png")', /cannot open \/workspace\/none\.png: no such file/],
    [
      'await show(1)',
      /show takes a path in \/workspace, an SVG text, a Vega-Lite chart, or an image or audio block, not 1/,
    ],
    [
      'const shot = await callMCPTool("camera__shot"); for (let n = 0; n < 9; n++) await show(shot)',
      /at most 8 images, recordings and files/,
    ],
  ])('fails with its fix: %s', async (code, problem) => {
    const { text, isError } = await call(code);
    expect([isError, text]).toEqual([true, expect.stringMatching(problem)]);
  });

  test('a file that was replaced after it was shown is not sent', async () => {
    const result = await toolwright.execute('return await callMCPTool("camera__shot")');
    const [file] = result.media ?? [];
    writeFileSync(String(file?.hostPath), 'something else');
    expect(await readMedia(result.media ?? [], async () => undefined)).toEqual({
      ...{ blocks: [], links: [] },
      notes: [expect.stringContaining('it was changed or removed')],
    });
  });
});

test('HTTP answers have the path in the session and no path of this machine', async () => {
  const sessionId = (await toolwright.sessions.create({})).id;
  const { body } = await ask(`${api.url}/execute`, {
    json: { code: 'await show(await callMCPTool("camera__shot")); return 1', sessionId },
  });
  const [file] = body.media;
  expect(file).toEqual({
    type: 'image',
    mimeType: 'image/png',
    path: expect.stringMatching(/^\/workspace\/results\//),
    bytes: Buffer.from(PNG, 'base64').length,
  });
  const stored = await fetch(`${api.url}/sessions/${sessionId}/files/${file.path.replace('/workspace/', '')}`);
  expect(Buffer.from(await stored.arrayBuffer()).toString('base64')).toBe(PNG);
  const record = await ask(`${api.url}/executions/${body.executionId}`);
  expect(record.body.media).toEqual(body.media);
});

test('a file that no model reads is a link, which its user alone can read', async () => {
  const sessionId = (await toolwright.sessions.create({})).id;
  const code = `
    await fs.writeFile('people.csv', 'name,mail\\nAda,' + (await callMCPTool('camera__mail')));
    await fs.writeFile('data.bin', new Uint8Array([255, 0, 254]));
    await show('people.csv');
    return (await show('data.bin')).type;`;
  const { text, blocks } = await call(code, { sessionId });
  expect(text).toMatch(/^file\n\S+-1\.csv is not shown: it is a file of the type text\/csv with \d+ bytes\.\n/);
  const uri = expect.stringMatching(new RegExp(`^toolwright://sessions/${sessionId}/results/[\\w-]+-\\d\\.(csv|bin)$`));
  expect(blocks).toMatchObject([
    { type: 'resource_link', uri, mimeType: 'text/csv' },
    { type: 'resource_link', uri, mimeType: 'application/octet-stream', size: 3 },
  ]);
  const [csv = '', bin = ''] = blocks.map((link) => String(Object(link).uri));
  expect((await client.readResource({ uri: csv })).contents).toMatchObject([
    { mimeType: 'text/csv', text: expect.stringMatching(/^name,mail\nAda,\[EMAIL_\d+\]$/) },
  ]);
  expect((await client.readResource({ uri: bin })).contents).toMatchObject([{ blob: '/wD+' }]);
  const foreign = (await toolwright.sessions.create({ userId: 'bob' })).id;
  for (const other of [`${csv}x`, csv.replace(sessionId, foreign), csv.replace('results/', '../')]) {
    await expect(client.readResource({ uri: other })).rejects.toThrow(/not found/i);
  }
  const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  expect(templates).toContain('toolwright://sessions/{sessionId}/{+path}');
  // Without a session, the execution keeps the file.
  const { blocks: alone } = await call(`await fs.writeFile('a.txt', 'x'); await show('a.txt')`);
  const kept = String(Object(alone[0]).uri);
  expect(kept).toMatch(/^toolwright:\/\/executions\/[\w-]+\/results\/[\w-]+-1\.txt$/);
  expect((await client.readResource({ uri: kept })).contents).toMatchObject([{ text: 'x' }]);
  const { executionId: foreignId } = await toolwright.execute(`await fs.writeFile('a.txt', 'x'); await show('a.txt')`, {
    userId: 'bob',
  });
  const others = kept.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, foreignId);
  await expect(client.readResource({ uri: others })).rejects.toThrow(/not found/i);
});

const OFFICE = 'application/vnd.openxmlformats-officedocument';
test.each([
  ['sales.xlsx', `${OFFICE}.spreadsheetml.sheet`],
  ['letter.docx', `${OFFICE}.wordprocessingml.document`],
  ['deck.pptx', `${OFFICE}.presentationml.presentation`],
  ['paper.pdf', 'application/pdf'],
  ['rows.csv', 'text/csv'],
  ['notes.md', 'text/markdown'],
  ['page.html', 'text/html'],
  ['shapes.svg', 'image/svg+xml'],
  ['data.json', 'application/json'],
  ['box.zip', 'application/zip'],
  ['Foto.JPEG', 'image/png'],
  ['log', 'text/plain'],
  ['raw.bin', 'application/octet-stream'],
])('%s has its type and name in links, resources, downloads and the session', async (name, mimeType) => {
  const sessionId = (await toolwright.sessions.create({})).id;
  const content =
    mimeType === 'image/svg+xml'
      ? Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')
      : mimeType === 'image/png'
        ? Buffer.from(PNG, 'base64')
        : /^text|json/.test(mimeType)
          ? Buffer.from('{"a": 1}')
          : Buffer.from([0x25, 0xff, 0, 0xfe]);
  const code = `await fs.writeFile(${JSON.stringify(name)}, ${JSON.stringify(content.toString('base64'))}, 'base64');
return await show(${JSON.stringify(name)});`;
  for (const more of [{}, { sessionId }]) {
    const { text, blocks } = await call(code, more);
    const shown = JSON.parse(text.split('\n')[0] ?? '');
    expect(shown).toMatchObject({ mimeType, name });
    const link = blocks.find(({ type }) => type === 'resource_link');
    if (mimeType === 'image/png') expect(blocks).toMatchObject([{ type: 'image', mimeType }]);
    else expect(link).toMatchObject({ mimeType, name, size: content.length });
    const [execution] = /[\da-f]{8}-[\da-f-]{27}/.exec(shown.path) ?? [];
    const place = `/executions/${execution}/file?path=${encodeURIComponent(shown.path)}`;
    const download = await fetch(`${api.url}${place}`);
    expect(download.headers.get('content-disposition')).toBe('attachment');
    expect(download.headers.get('x-content-type-options')).toBe('nosniff');
    expect(download.headers.get('content-type')).toBe(mimeType);
    expect(Buffer.from(await download.arrayBuffer())).toEqual(content);
    const only = async (accept: string) => (await fetch(`${api.url}${place}`, { headers: { accept } })).status;
    expect(await Promise.all(['application/octet-stream', mimeType, 'video/webm'].map(only))).toEqual([200, 200, 406]);
    if (!link) continue;
    const [read] = (await client.readResource({ uri: String(Object(link).uri) })).contents;
    expect(read).toMatchObject({ mimeType });
    const { text: words, blob } = Object(read);
    expect(blob === undefined ? Buffer.from(words) : Buffer.from(blob, 'base64')).toEqual(content);
  }
  const own = await fetch(`${api.url}/sessions/${sessionId}/files/${name}`);
  expect(own.headers.get('content-type')).toBe(mimeType);
});

test('the name of a shown file is redacted for models', async () => {
  const code = `const mail = (await callMCPTool('camera__mail'));
await fs.writeFile(mail + '.csv', 'a'); await show(mail + '.csv');`;
  const { blocks } = await call(code);
  expect(blocks).toMatchObject([{ type: 'resource_link', name: expect.stringMatching(/^\[EMAIL_\d+\]\.csv$/) }]);
});

test('a continued execution still shows its earlier images', async () => {
  const folder = temporaryFolder();
  const open = () =>
    createToolwright({
      dataDir: folder,
      sandbox: 'quickjs',
      tools: { camera: { tools } },
      policy: { rules: [{ tools: 'camera__sound', action: 'ask' }] },
      waits: { graceMs: 0 },
    });
  const first = await open();
  const { executionId } = await first.execute(
    'await show(await callMCPTool("camera__shot")); await show(await callMCPTool("camera__sound")); return 1',
  );
  await first.close();
  const next = await open();
  await next.executions.decide(executionId, { action: 'approve' });
  const result = await next.executions.resume(executionId);
  expect(result.media?.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'audio/wav']);
  expect(await next.executions.replay(executionId)).toMatchObject({ status: 'identical' });
  await next.close();
});

test('the model of a task sees the image; the transcript has only its path', async () => {
  const seen: ModelRequest[] = [];
  const model = scriptedModel((request) => {
    seen.push(request);
    return seen.length === 1 ? { code: 'return await callMCPTool("desk__shot")' } : { text: 'It is red.' };
  });
  const desk = await openTaskDesk(model, { tools });
  const task = await desk.tasks.start({ task: 'What colour?' });
  await eventsOf(desk.tasks, task);
  expect(seen[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    media: [{ type: 'image', mimeType: 'image/png', data: PNG }],
  });
  expect(await desk.transcript(task)).not.toContain(PNG.slice(0, 40));
  await desk.close();
});
