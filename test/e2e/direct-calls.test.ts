import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { connectClient, type FormReply, textOf, WAYS_IN_SHORT } from '../fixtures/mcp-clients.ts';
import { fixture, fixturePath, temporaryFile, until } from '../fixtures/server.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A server with a tool that returns a real image. */
const PICTURES = `import { serve, tool } from ${JSON.stringify(pathToFileURL(fixturePath('rpc.mjs')).href)};
const image = { type: 'image', mimeType: 'image/png', data: '${PNG}' };
serve({ 'tools/list': () => ({ tools: [tool('picture')] }), 'tools/call': () => ({ content: [image] }) });`;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const ASKS = { rules: [{ tools: ['basic__echo', 'basic__boom', 'basic__slow'], action: 'ask' }] };

describe.each(WAYS_IN_SHORT)('a direct call over $transport, era $era,', (way) => {
  /** Connects to a Toolwright whose tools are all direct; `echo` is for clients alone. */
  async function connect(more: object = {}, reply?: (message: string) => FormReply) {
    const desk = openDesk();
    const called = temporaryFile();
    desk.write('toolwright.json', {
      mcpServers: {
        basic: fixture('basic'),
        pictures: { command: process.execPath, args: ['--input-type=module', '--eval', PICTURES] },
        hangs: { ...fixture('hangs'), env: { CALLED_FILE: called } },
      },
      ...{ direct: ['*'], callers: { basic__echo: 'direct' }, sandbox: 'quickjs', ...more },
    });
    const { client, close } = await connectClient(desk, way, [], reply);
    closers.push(close);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    await until(async () => (await names()).includes('hangs__hang') && (await names()).includes('basic__echo'));
    await until(async () => (await names()).includes('pictures__picture'));
    return { desk, client, called };
  }

  test('is cancelled at the server when the client cancels it', async () => {
    const { client, called } = await connect();
    const cancelling = new AbortController();
    const hanging = client.callTool({ name: 'hangs__hang', arguments: {} }, { signal: cancelling.signal });
    const failed = expect(hanging).rejects.toThrow();
    await until(() => existsSync(called));
    const cancelled = async () => textOf(await client.callTool({ name: 'hangs__cancelled', arguments: {} }));
    expect(JSON.parse(await cancelled())).toEqual([]);
    cancelling.abort();
    await failed;
    await until(async () => JSON.parse(await cancelled()).length === 1);
  });

  test('waits for the approval in the form, and then has the result, an error or a denial of the tool', async () => {
    const shown: string[] = [];
    let content: Record<string, string> = { decision: 'approve' };
    const { client } = await connect({ policy: ASKS }, (message) => {
      shown.push(message);
      return { action: 'accept', content };
    });
    const echo = await client.callTool({ name: 'basic__echo', arguments: { value: 'hello' } });
    expect([textOf(echo), echo.isError]).toEqual(['hello', undefined]);
    expect(shown.join()).toContain('{"value":"hello"}');
    const boom = await client.callTool({ name: 'basic__boom', arguments: {} });
    expect([textOf(boom), boom.isError]).toEqual([expect.stringContaining('the disk is full'), true]);
    content = { decision: 'deny', note: 'not today' };
    const denied = await client.callTool({ name: 'basic__echo', arguments: { value: 'no' } });
    expect([textOf(denied), denied.isError]).toEqual([expect.stringMatching(/APPROVAL_DENIED.*not today/s), true]);
    expect(shown).toHaveLength(3);
  });

  test('without forms, names the command that decides, which continues the call', async () => {
    const { client, desk } = await connect({ policy: ASKS, waits: { graceMs: 0 } });
    const text = textOf(await client.callTool({ name: 'basic__echo', arguments: { value: 'later' } }));
    const [, id = ''] = /executions approve ([\w-]+)/.exec(text) ?? [];
    expect(text).not.toContain('no answer');
    const approved = await desk.run(['executions', 'approve', id]);
    expect([approved.code, approved.out]).toEqual([0, expect.stringContaining('Approved call 1: basic__echo')]);
    const shown = async () => (await desk.run(['executions', 'show', id])).out;
    await until(async () => (await shown()).includes('completed'));
    expect(await shown()).toContain('result  "later"');
  });

  test('returns errors, images and resources as the tool does', async () => {
    const { client } = await connect();
    const call = (name: string) => client.callTool({ name, arguments: {} });
    expect(await call('basic__boom')).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('the disk is full') }],
      isError: true,
    });
    const image = await call('pictures__picture');
    expect(image.content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png', data: PNG }));
    expect(image.isError).toBeFalsy();
    // A model would get an error of its provider for an image that is none.
    expect(textOf(await call('basic__image'))).toContain('image/png is not an image');
    expect(textOf(await call('basic__resource'))).toContain('A');
  });
});
