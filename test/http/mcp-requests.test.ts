import { PassThrough } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { requestsInFlight, withUniqueIds } from '../../packages/server/src/mcp/clients/requests-in-flight.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { startApi } from '../fixtures/http-server.ts';
import { WITH_DATA } from '../fixtures/mcp-clients.ts';
import { partial } from '../fixtures/partial.ts';
import { until } from '../fixtures/server.ts';

type Era = 'legacy' | 'modern';
// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects to be there
type Message = Record<string, any>;

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const execute = (era: Era, id: unknown, code: string): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name: 'execute_code',
    arguments: { code },
    _meta: { ...WITH_DATA._meta, progressToken: `of ${code.length}`, ...(era === 'modern' ? MODERN : {}) },
  },
});
const initialize = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const SLOW = 'progress("slow"); await utils.sleep(700); return "slow value"';
const FAST = 'return "fast value"';
const returned = ({ result }: Message) => result?.structuredContent?.value;

describe.each<Era>(['legacy', 'modern'])('over HTTP, era %s', (era) => {
  let server: Awaited<ReturnType<typeof startApi>>;
  let session: string | undefined;
  afterAll(() => server.close());

  async function post(
    message: Message | readonly Message[],
    headers: Record<string, string> = {},
    onProgress = () => {},
  ) {
    const version = era === 'modern' ? '2026-07-28' : '2025-11-25';
    const one = (Array.isArray(message) ? message[0] : message) as Message;
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(one.method === 'initialize' ? {} : { 'mcp-protocol-version': version }),
        ...(era === 'modern' ? { 'mcp-method': one.method, 'mcp-name': one.params?.name } : {}),
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
        ...headers,
      },
    });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes('notifications/progress')) onProgress();
    }
    const messages: Message[] = text.startsWith('{')
      ? [JSON.parse(text)]
      : [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
    return { status: response.status, messages, last: messages.at(-1) ?? {} };
  }

  test('two calls of one id in flight never receive the value of the other', async () => {
    server = await startApi();
    if (era === 'legacy') await post(initialize);
    let slow: ReturnType<typeof post> | undefined;
    await new Promise<void>((resolve) => {
      slow = post(execute(era, 7, SLOW), {}, resolve);
    });
    const fast = await post(execute(era, 7, FAST));
    if (era === 'legacy') {
      expect(fast.status).toBe(400);
      expect(fast.last).toMatchObject({ id: 7, error: { code: -32600, message: expect.stringContaining('id 7 is') } });
    } else expect(returned(fast.last)).toBe('fast value');
    const { messages, last } = (await slow) ?? { messages: [], last: {} };
    expect(returned(last)).toBe('slow value');
    const tokens = messages.filter(({ method }) => method === 'notifications/progress');
    expect(new Set(tokens.map(({ params }) => params.progressToken))).toEqual(new Set([`of ${SLOW.length}`]));
    expect(returned((await post(execute(era, 7, FAST))).last)).toBe('fast value');
  });

  if (era === 'legacy') {
    test('a batch cannot have one id twice, and an id is free after a cancellation and after a refused request', async () => {
      const batch = await post([execute(era, 1, FAST), execute(era, 1, FAST)]);
      expect([batch.status, batch.last.id]).toEqual([400, 1]);
      await post(execute(era, 2, FAST), { accept: 'text/plain' });
      expect(returned((await post(execute(era, 2, FAST))).last)).toBe('fast value');
      await new Promise<void>((resolve) => {
        const code = 'progress("begun"); await utils.sleep(20_000)';
        post(execute(era, 3, code), {}, resolve).catch(() => undefined);
      });
      await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
      expect(returned((await post(execute(era, 3, FAST))).last)).toBe('fast value');
    });
  }
});

describe.each<Era>(['legacy', 'modern'])('over stdio, era %s', (era) => {
  test('the second of two calls of one id is refused, and the first one receives its value', async () => {
    const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs' });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const received: Message[] = [];
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      received.push(...lines.map((line) => JSON.parse(line)));
    });
    const logger = { error: () => undefined, warn: () => undefined };
    const served = serveStdio(mcpServers({ open: async () => toolwright, logger: partial(logger) }), {
      transport: withUniqueIds(new StdioServerTransport(input, output as never), requestsInFlight(), () => undefined),
    });
    const send = (message: Message) => input.write(`${JSON.stringify(message)}\n`);
    const answers = (id: unknown) => received.filter((message) => message.id === id);
    if (era === 'legacy') {
      send(initialize);
      await until(() => answers('init').length === 1);
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    send(execute(era, 7, SLOW));
    send(execute(era, 7, FAST));
    await until(() => answers(7).length === 2);
    expect(answers(7)[0]).toMatchObject({ error: { code: -32600, message: expect.stringContaining('id 7 is') } });
    expect(returned(answers(7)[1] ?? {})).toBe('slow value');
    send(execute(era, 7, FAST));
    await until(() => answers(7).length === 3);
    expect(returned(answers(7)[2] ?? {})).toBe('fast value');
    await served.close();
    await toolwright.close();
  });
});
