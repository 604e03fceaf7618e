import { existsSync, readFileSync } from 'node:fs';
import { type AuthInfo, Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { fixture, temporaryFile } from '../fixtures/server.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Era = 'modern' | 'legacy';
interface Shown {
  readonly mode?: string;
  readonly message: string;
  readonly url?: string;
  readonly requestedSchema?: unknown;
}

/** Starts our server with a server of one era behind it, and connects a client. */
async function start(upstream: Era, era: Era, reply?: (shown: Shown, count: number) => ElicitResult, graceMs = 20_000) {
  const file = temporaryFile();
  const toolwright = await createToolwright({
    ...{ dataDir: temporaryFolder(), sandbox: 'quickjs', check: false, waits: { graceMs } },
    mcpServers: { ask: { ...fixture('asking', upstream, file), protocol: upstream } },
  });
  closers.push(() => toolwright.close());
  const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: silent }), silent);
  closers.push(() => endpoint.close());
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  const capabilities = reply ? { elicitation: { form: {}, url: {} } } : {};
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode }, capabilities });
  const shown: Shown[] = [];
  if (reply) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      shown.push(params as Shown);
      return reply(params as Shown, shown.length);
    });
  }
  const authInfo: AuthInfo = { token: 't', clientId: 'ada', scopes: [], extra: { user: 'ada' } };
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), { authInfo });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  closers.push(() => client.close());
  const run = (code: string) => client.callTool({ name: 'execute_code', arguments: { code }, ...WITH_DATA });
  const effects = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  return { toolwright, client, run, shown, effects };
}

const call = (tool: string) => `return callMCPTool('ask__${tool}', {}).catch(({ code, message }) => [code, message])`;

describe.each([
  ['modern', 'modern'],
  ['modern', 'legacy'],
  ['legacy', 'modern'],
  ['legacy', 'legacy'],
] as const)('a question of a %s server and a client of the %s era', (upstream, era) => {
  it('the user answers in the client, after a wrong answer too, and the model sees no answer', async () => {
    const { run, shown, effects } = await start(upstream, era, ({ message }, count) => {
      if (message.includes('Sure?')) return { action: 'accept', content: { sure: true } };
      return { action: 'accept', content: { email: count === 1 ? 'ann' : 'ann@example.com' } };
    });
    const answer = await run(call('trip'));
    expect(effects()).toEqual(['trip [{"email":"ann@example.com","seats":2,"class":"eco"},{"sure":true}]']);
    expect(JSON.stringify(answer)).not.toContain('ann@example.com');
    expect(answer.structuredContent).toMatchObject({ value: expect.stringMatching(/^trip for \[EMAIL_\d+\]$/) });
    expect(shown.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The server ask asks you, during call 1 of ask__trip\.[\s\S]*\n\n {4}Who travels\?$/),
      expect.stringMatching(/^The answer does not fit the question: email: expected the format email/),
      expect.stringContaining('Sure?'),
    ]);
    expect(shown[0]?.requestedSchema).toMatchObject({ properties: { seats: { default: 2 } } });
  });

  it('the user opens a page, declines, or leaves the question open', async () => {
    const { run, shown, effects, toolwright } = await start(upstream, era, ({ mode, message }) => {
      if (mode === 'url') return { action: 'accept' };
      return { action: message.includes('\\u202e') ? 'decline' : 'cancel' };
    });
    expect((await run(call('pay'))).structuredContent).toEqual({ value: 'pay for nobody' });
    expect(shown[0]).toMatchObject({
      url: 'https://pay.example.com/session/7',
      message: expect.stringContaining('open a page at pay.example.com'),
    });
    expect((await run(call('book'))).structuredContent).toEqual({ value: 'not booked: decline' });
    const open = await run(call('trip'));
    const { executionId, status } = open.structuredContent as Record<string, string>;
    expect([status, textOf(open)]).toEqual(['suspended', expect.stringContaining(`executions answer ${executionId}`)]);
    expect(await toolwright.executions.questions(String(executionId), 'ada')).toMatchObject([{ kind: 'input' }]);
    expect(effects()).toEqual(['pay [null]']);
  });
});

it('a client without forms gets the id, and the question is answered elsewhere', async () => {
  const { run, toolwright, effects } = await start('legacy', 'modern', undefined, 0);
  const { executionId = '' } = (await run(call('trip'))).structuredContent as Record<string, string>;
  const { decide, resume } = toolwright.executions;
  await decide(executionId, { userId: 'ada', action: 'answer', value: { email: 'ann@example.com' } });
  expect(await resume(executionId, { userId: 'ada' })).toMatchObject({ status: 'suspended' });
  await decide(executionId, { userId: 'ada', action: 'answer', value: { sure: false } });
  expect(await resume(executionId, { userId: 'ada' })).toMatchObject({ status: 'completed' });
  expect(effects()).toHaveLength(1);
});
