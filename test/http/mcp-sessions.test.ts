import { afterAll, expect, test } from 'vitest';
import { MAX_CLIENTS_PER_USER } from '../../packages/server/src/mcp/clients/legacy-places.ts';
import { startApi } from '../fixtures/http-server.ts';

const server = await startApi({
  async authenticate(context, next) {
    const user = context.req.header('x-user') ?? '';
    context.set('principal', { user, credential: `key-of-${user}` });
    await next();
  },
});
afterAll(() => server.close());

function post(user: string, body: object, session?: string): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-user': user,
      ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
    },
  });
}
async function initialize(
  user: string,
): Promise<{ status: number; session: string; text: string; retry: string | null }> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const response = await post(user, { method: 'initialize', params });
  const session = response.headers.get('mcp-session-id') ?? '';
  return { status: response.status, session, text: await response.text(), retry: response.headers.get('retry-after') };
}
async function isOpen(user: string, session: string): Promise<boolean> {
  const response = await post(user, { method: 'ping' }, session);
  await response.text();
  return response.status === 200;
}
const run = (user: string, session: string) =>
  post(
    user,
    { method: 'tools/call', params: { name: 'execute_code', arguments: { code: 'await utils.sleep(19_000)' } } },
    session,
  );

test('a user with too many MCP sessions loses the own oldest idle one, and never that of another user', async () => {
  const bob = (await initialize('bob')).session;
  const first = (await initialize('ada')).session;
  const second = (await initialize('ada')).session;
  expect(await isOpen('ada', first)).toBe(true);
  for (let number = 2; number <= MAX_CLIENTS_PER_USER; number++) expect((await initialize('ada')).status).toBe(200);
  expect([await isOpen('ada', first), await isOpen('ada', second), await isOpen('bob', bob)]).toEqual([
    true,
    false,
    true,
  ]);
}, 60_000);

test('a user whose MCP sessions are all busy gets 429 with the limit and the fix', async () => {
  const all = await Promise.all(Array.from({ length: MAX_CLIENTS_PER_USER }, () => initialize('eve')));
  const running = await Promise.all(all.map(({ session }) => run('eve', session)));
  const { status, text, retry } = await initialize('eve');
  expect([status, Number(retry) > 0]).toEqual([429, true]);
  expect(JSON.parse(text).error).toMatchObject({
    message: expect.stringMatching(/This user has 100 MCP sessions, which is the limit\. End one/),
    data: { code: 'QUOTA_EXCEEDED', limit: MAX_CLIENTS_PER_USER },
  });
  expect((await initialize('ada')).status).toBe(200);
  await running[0]?.body?.cancel();
  const deleted = await fetch(`${server.url}/mcp`, {
    method: 'DELETE',
    headers: { 'x-user': 'eve', 'mcp-session-id': all[1]?.session ?? '', 'mcp-protocol-version': '2025-11-25' },
  });
  expect([deleted.status, (await initialize('eve')).status]).toEqual([200, 200]);
  for (const response of running) await response.body?.cancel().catch(() => undefined);
}, 60_000);
