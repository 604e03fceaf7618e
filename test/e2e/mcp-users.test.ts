import { request } from 'node:http';
import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { startHttp, textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { partial } from '../fixtures/partial.ts';
import { until } from '../fixtures/server.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const toolwright = await createToolwright({ dataDir: temporaryFolder() });
const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
afterAll(async () => {
  await endpoint.close();
  await toolwright.close();
});

const ERAS = ['legacy', 'modern'] as const;
type Era = (typeof ERAS)[number];

/** Returns a client whose requests are those of an authenticated user. */
async function clientOf(user: string, era: Era): Promise<Client> {
  const authInfo: AuthInfo = { token: 't', clientId: user, scopes: [], extra: { user } };
  const client = new Client(
    { name: user, version: '1' },
    { versionNegotiation: { mode: era === 'legacy' ? era : { pin: '2026-07-28' } } },
  );
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), { authInfo });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  return client;
}

describe.each(ERAS)('clients of the %s era', (era) => {
  const call = async (client: Client, name: string, args: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: args, ...WITH_DATA });
    const { sessionId: session } = Object(answer.structuredContent) as { sessionId?: string };
    return { text: textOf(answer), isError: answer.isError === true, session };
  };

  test('cannot see the sessions and skills of another user', async () => {
    const [ada, bob] = await Promise.all([clientOf(`ada-${era}`, era), clientOf(`bob-${era}`, era)]);
    const code = 'await fs.writeFile("secret.txt", "ada"); return 1';
    const { session = '' } = await call(ada, 'execute_code', { code, session: 'new' });
    await call(ada, 'save_skill', { name: 'of-ada', description: 'Hers alone.', code: 'export default () => 1;' });

    const looks: [string, Record<string, unknown>][] = [
      ['execute_code', { code: 'return fs.readFile("secret.txt")', session }],
      ['read_workspace_file', { session, path: 'secret.txt' }],
      ['list_workspace_files', { session }],
      ['write_workspace_file', { session, path: 'secret.txt', content: 'bob' }],
    ];
    for (const [name, args] of looks) {
      const { text, isError } = await call(bob, name, args);
      const other = await call(bob, name, { ...args, session: 'x'.repeat(session.length) });
      // The same message as for a missing session.
      expect([isError, text]).toEqual([true, other.text.replace('x'.repeat(session.length), session)]);
    }
    expect((await call(bob, 'load_skill', { name: 'of-ada' })).text).toMatch(/Unknown skill "of-ada"/);
    expect((await call(bob, 'list_skills', {})).text).not.toContain('of-ada');
    expect((await call(ada, 'read_workspace_file', { session, path: 'secret.txt' })).text).toBe('ada');
    await Promise.all([ada.close(), bob.close()]);
  });

  test('have a default session of their own, from the first workspace tool without a session', async () => {
    const [ada, bob] = await Promise.all([clientOf(`own-${era}`, era), clientOf(`other-${era}`, era)]);
    const alone = await call(ada, 'execute_code', { code: 'await fs.writeFile("a.txt", "1"); return 1' });
    expect([alone.text, alone.session]).toEqual(['1', undefined]);
    const written = await call(ada, 'write_workspace_file', {
      path: 'large_dataset.json',
      content: '[{"status": "active"}]',
    });
    const code = `data = json.loads(read_file("large_dataset.json"))
write_file("total.txt", str(len(data)))
result = [d for d in data if d['status'] == 'active']`;
    const ran = await call(ada, 'execute_code', { code });
    expect([ran.text.split('\n')[0], ran.session]).toEqual(['[{"status":"active"}]', written.session]);
    expect((await call(ada, 'read_workspace_file', { path: 'total.txt' })).text).toBe('1');
    expect((await call(ada, 'list_workspace_files', {})).text).toMatch(/^large_dataset\.json .*\ntotal\.txt /);
    for (const [name, args] of [
      ['read_workspace_file', { path: 'total.txt' }],
      ['read_workspace_file', { path: 'total.txt', sessionId: written.session }],
    ] as const) {
      expect((await call(bob, name, args)).isError).toBe(true);
    }
    expect((await call(bob, 'list_workspace_files', {})).text).toBe('No files.');
    await Promise.all([ada.close(), bob.close()]);
  });

  test('end their running programs when they disconnect, and earlier files are kept', async () => {
    const user = `gone-${era}`;
    const client = await clientOf(user, era);
    const { session = '' } = await call(client, 'execute_code', { code: 'return 1', session: 'new' });
    const code = 'await fs.writeFile("before.txt", "kept"); progress("on"); await sleep(20000); return 2';
    const leaving = new AbortController();
    const running = client.callTool(
      { name: 'execute_code', arguments: { code, session } },
      { signal: leaving.signal, onprogress: () => leaving.abort() },
    );
    await expect(running).rejects.toThrow();
    await client.close();
    await until(async () => (await toolwright.sessions.log(session, { userId: user })).length === 2);
    expect((await toolwright.sessions.log(session, { userId: user })).at(-1)).toMatchObject({ status: 'stopped' });
    const files = await toolwright.sessions.files(session, { userId: user });
    expect((await files.read('/workspace/before.txt', 100)).toString()).toBe('kept');
  });
});

describe('over HTTP', async () => {
  const server = await startHttp(openDesk());
  afterAll(() => server.stop());
  const { origin, port } = new URL(server.url);

  const statusOf = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject).end();
    });

  test.each(['/health', '/mcp', '/nothing'])('%s answers no other Host and no other Origin', async (path) => {
    expect(await statusOf(path, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(path, { origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(path, { origin })).not.toBe(403);
  });
});
