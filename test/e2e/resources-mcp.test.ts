import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Hono } from 'hono';
import { afterAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../packages/core/src/telemetry/log.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { collect } from '../fixtures/garbage.ts';
import { serveHono } from '../fixtures/hono-server.ts';
import { partial } from '../fixtures/partial.ts';
import { fixture, until } from '../fixtures/server.ts';

const EMAIL = 'ada.lovelace@analytical.example';
const NOTES = 'toolwright://resources/my%20docs/docs%3A%2F%2Fnotes';
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  mcpServers: { 'my docs': { ...fixture('documents'), protocol: 'modern' }, bad: fixture('documents', 'hostile') },
  policy: {
    rules: [
      {
        servers: 'my docs',
        arguments: { required: ['uri'], properties: { uri: { const: 'docs://secrets' } } },
        action: 'deny',
      },
    ],
  },
});
const options = { open: async () => toolwright, logger: partial<Logger>(silent) };
const endpoints = {
  full: mcpEndpoint(mcpServers(options), partial(silent)),
  core: mcpEndpoint(mcpServers({ ...options, profile: 'core' }), partial(silent)),
};
const clients: Client[] = [];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(Object.values(endpoints).map((endpoint) => endpoint.close()));
  await toolwright.close();
});

const authInfo: AuthInfo = { token: 't', clientId: 'local', scopes: [], extra: { user: 'local' } };
async function connect(era: 'legacy' | 'modern', profile: keyof typeof endpoints): Promise<Client> {
  const mode = era === 'legacy' ? era : { pin: '2026-07-28' };
  const client = new Client({ name: 'resources', version: '1' }, { versionNegotiation: { mode } });
  const fetch = (url: string | URL, init?: RequestInit) =>
    endpoints[profile].fetch(new Request(url, init), { authInfo });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  clients.push(client);
  return client;
}

describe.each([
  ['legacy', 'core'],
  ['modern', 'full'],
] as const)('a client of the MCP server (%s, %s)', (era, profile) => {
  it('lists and reads the resources of servers, redacted, and subject to the policy', async () => {
    const client = await connect(era, profile);
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('toolwright://resources/bad/'))).toHaveLength(9_001);
    expect(resources).toContainEqual({
      uri: NOTES,
      name: 'my docs: notes',
      mimeType: 'text/markdown',
      description: 'About docs://notes',
    });
    expect(resources).toContainEqual(expect.objectContaining({ uri: 'toolwright://servers' }));
    const first = await client.request({ method: 'resources/list' });
    expect([first.resources.length, first.nextCursor]).toEqual([1_000, expect.any(String)]);
    const invalid = client.request({ method: 'resources/list', params: { cursor: 'x' } });
    await expect(invalid).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('cursor') });
    const notes = await client.readResource({ uri: NOTES });
    expect(notes.contents).toEqual([
      {
        uri: NOTES,
        mimeType: 'text/markdown',
        text: expect.stringMatching(/^\[draft\] version \d+ by \[EMAIL_\d+\]$/),
      },
    ]);
    expect(JSON.stringify(notes)).not.toContain(EMAIL);
    const secrets = client.readResource({ uri: 'toolwright://resources/my%20docs/docs%3A%2F%2Fsecrets' });
    await expect(secrets).rejects.toThrow('The policy denies this call of my docs__resources/read');
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('not found');
    await expect(client.readResource({ uri: 'toolwright://resources/none/x' })).rejects.toThrow('not found');

    const { resourceTemplates } = await client.listResourceTemplates();
    const template = 'toolwright://resources/my%20docs/users%3A%2F%2F{id}%2Fprofile';
    expect(resourceTemplates).toContainEqual({
      uriTemplate: template,
      name: 'my docs: profile',
      description: 'A user',
    });
    const profileUri = template.replace('{id}', 'alan');
    expect((await client.readResource({ uri: profileUri })).contents).toMatchObject([{ text: 'profile of alan' }]);
    const ref = { type: 'ref/resource', uri: template } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'a' } });
    expect(completion.values).toEqual(['ada', 'alan']);
  });

  it('offers the prompts of servers with a prefix, and completes their arguments', async () => {
    const client = await connect(era, profile);
    const { prompts } = await client.listPrompts();
    expect(prompts).toContainEqual({
      name: 'my docs__review',
      description: 'Reviews a text',
      arguments: [{ name: 'language', required: true }],
    });
    const { messages } = await client.getPrompt({ name: 'my docs__review', arguments: { language: 'ruby' } });
    const text = expect.stringMatching(/^Review this ruby of \[EMAIL_\d+\]$/);
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text } }]);
    const ref = { type: 'ref/prompt', name: 'my docs__review' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'language', value: 'p' } });
    expect(completion.values).toEqual(['python', 'perl']);
    await expect(client.getPrompt({ name: 'review' })).rejects.toThrow('Unknown prompt review.');
  });

  it('learns of updates and changed lists', async () => {
    const client = await connect(era, profile);
    const seen: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.push(params.uri));
    client.setNotificationHandler('notifications/resources/list_changed', () => void seen.push('resources'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => void seen.push('prompts'));
    await client.listResources();
    if (era === 'legacy') await client.subscribeResource({ uri: NOTES });
    else {
      await client.listen({ resourceSubscriptions: [NOTES], resourcesListChanged: true, promptsListChanged: true });
    }
    await until(async () => {
      await toolwright.execute(`await callMCPTool('my docs__touch', {})`);
      return seen.includes(NOTES);
    });
    const publish =
      era === 'legacy' ? `await callMCPTool('my docs__publish', {})` : `await callMCPTool('bad__publish', {})`;
    await toolwright.execute(publish);
    await until(() => seen.includes('resources') && seen.includes('prompts'));
    // Servers that are added later are followed too.
    seen.length = 0;
    const name = `added ${era}`;
    await toolwright.addServer(name, fixture('documents'));
    await until(() => seen.includes('resources') && seen.includes('prompts'));
    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toContain(`${name}__review`);
    seen.length = 0;
    await toolwright.execute(`await callMCPTool('${name}__publish', {})`);
    await until(() => seen.includes('resources') && seen.includes('prompts'));
    seen.length = 0;
    await toolwright.removeServer(name);
    await until(() => seen.includes('resources') && seen.includes('prompts'));
  });
});

it('stops following for a client that has gone, also after its request was collected', async () => {
  const left = new AbortController();
  const add = () => () => left.abort();
  const endpoint = mcpEndpoint(Object.assign(mcpServers(options), { follow: () => ({ add }) }), partial(silent));
  const app = new Hono().all('/mcp', ({ req }) => endpoint.fetch(req.raw, { authInfo }));
  const { url, stop } = await serveHono(app);
  const client = new Client({ name: 'gone', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const subscription = await client.listen({ resourceSubscriptions: [NOTES] });
  for (let turn = 0; turn < 20; turn++) {
    collect();
    await setImmediate();
  }
  const gone = once(left.signal, 'abort');
  await subscription.close();
  await gone;
  await client.close();
  stop();
  await endpoint.close();
});
