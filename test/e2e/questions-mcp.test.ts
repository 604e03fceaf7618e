import { existsSync, readFileSync } from 'node:fs';
import { type AuthInfo, Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import type { ToolwrightOptions } from '../../packages/core/src/options.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { startOAuthIssuer } from '../fixtures/oauth-issuer.ts';
import { partial } from '../fixtures/partial.ts';
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

type Capabilities = NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>['capabilities']>;

/** Starts our server, and connects a client. `prepare` receives the client before it connects. */
async function connect(
  era: Era,
  options: Partial<ToolwrightOptions>,
  capabilities: Capabilities,
  prepare: (client: Client) => void,
) {
  const toolwright = await createToolwright({
    ...{ dataDir: temporaryFolder(), sandbox: 'quickjs', check: false, waits: { graceMs: 20_000 } },
    ...options,
  } as ToolwrightOptions);
  closers.push(() => toolwright.close());
  const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
  closers.push(() => endpoint.close());
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode }, capabilities });
  prepare(client);
  const authInfo: AuthInfo = { token: 't', clientId: 'ada', scopes: [], extra: { user: 'ada' } };
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), { authInfo });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  closers.push(() => client.close());
  const run = (code: string) => client.callTool({ name: 'execute_code', arguments: { code }, ...WITH_DATA });
  return { toolwright, client, run };
}

/** Starts our server with a server of one era behind it, and connects a client. */
async function start(upstream: Era, era: Era, reply?: (shown: Shown, count: number) => ElicitResult, graceMs = 20_000) {
  const file = temporaryFile();
  const mcpServers = { ask: { ...fixture('asking', upstream, file), protocol: upstream } };
  const shown: Shown[] = [];
  const connected = await connect(
    era,
    { mcpServers, waits: { graceMs } },
    reply ? { elicitation: { form: {}, url: {} } } : {},
    (client) => {
      if (!reply) return;
      client.setRequestHandler('elicitation/create', ({ params }) => {
        shown.push(params as Shown);
        return reply(params as Shown, shown.length);
      });
    },
  );
  const effects = () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  return { ...connected, shown, effects };
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
      const email = count === 1 ? 'ann' : 'ann@example.com';
      const content: Record<string, string | boolean> = message.includes('Sure?') ? { sure: true } : { email };
      return { action: 'accept', content };
    });
    const answer = await run(call('trip'));
    expect(effects()).toEqual(['trip [{"email":"ann@example.com","seats":2,"class":"eco"},{"sure":true}]']);
    expect(JSON.stringify(answer)).not.toContain('ann@example.com');
    expect(answer.structuredContent).toMatchObject({ value: expect.stringMatching(/^trip for \[EMAIL_\d+\]$/) });
    expect(shown.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The server ask asks you, during call 1 of ask__trip\.[\s\S]*\n\n {4}Who travels\?$/),
      expect.stringMatching(/^The answer does not fit the question: email: expected an email address/),
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

describe.each(['modern', 'legacy'] as const)('a client of the %s era', (era) => {
  it('opens the login link of a server, and the call goes on', async () => {
    const issuer = await startOAuthIssuer({ isListPublic: true });
    closers.push(() => issuer.stop());
    const shown: Shown[] = [];
    const { run } = await connect(
      era,
      { mcpServers: { web: { url: issuer.url } }, oauthKeychain: false },
      { elicitation: { form: {}, url: {} } },
      (client) =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          shown.push(params as Shown);
          // The person logs in, in a browser that follows the redirect to the callback.
          await fetch(await issuer.browse(String((params as Shown).url), 'ada'));
          return { action: 'accept' as const };
        }),
    );
    const answer = await run("return callMCPTool('web__whoami', {})");
    expect(answer.structuredContent).toEqual({ value: 'ada' });
    const message = expect.stringContaining(
      'Call 1 of web__whoami needs a login to the server web. Log in at 127.0.0.1',
    );
    const url = expect.stringMatching(new RegExp(`^${issuer.origin}/authorize\\?`));
    expect(shown).toMatchObject([{ mode: 'url', message, url }]);
    expect(JSON.stringify(answer)).not.toContain('authorize');
  });

  it('answers a request for a model, and its model reads no personal data', async () => {
    const asked: unknown[] = [];
    const file = temporaryFile();
    const ask = { ...fixture('asking', 'modern', file), protocol: 'modern' as const, questions: { sampling: true } };
    const { run } = await connect(era, { mcpServers: { ask } }, { sampling: {} }, (client) =>
      client.setRequestHandler('sampling/createMessage', ({ params }) => {
        asked.push(params.messages);
        const [{ text = '' } = {}] = [params.messages[0]?.content].flat() as { text?: string }[];
        const placeholder = /\[EMAIL_\d+\]/.exec(text)?.[0];
        const content = { type: 'text' as const, text: `Hello ${placeholder}` };
        return { role: 'assistant' as const, model: 'own', content };
      }),
    );
    const { structuredContent } = await run(call('greet'));
    expect(structuredContent).toMatchObject({ value: expect.stringMatching(/^Hello \[EMAIL_\d+\]$/) });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toContain('ann@example.com');
    // The server gets the value behind the placeholder.
    expect(readFileSync(file, 'utf8')).toBe('Hello ann@example.com\n');
  });
});
