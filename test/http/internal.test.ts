import { afterAll, expect, test } from 'vitest';
import { createRemoteExecutions } from '../../packages/server/src/remote/executions.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';
import { remoteSandbox } from '../fixtures/remote-sandbox.ts';

interface Credentials {
  readonly execution: string;
  readonly token: string;
}

const remote = createRemoteExecutions();
let url = '';
/** What a guest gave to others while it ran, and what these others then got. */
let steal: (credentials: Credentials) => Promise<unknown> = async () => undefined;
const called: unknown[] = [];
const server: HttpServer = await startApi(
  { remote },
  {
    sandbox: remoteSandbox(remote, () => url),
    tools: {
      shop: {
        tools: {
          price: {
            description: 'Price of an item.',
            inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
            run(args) {
              called.push(args);
              return { price: 3 };
            },
          },
          broken: {
            run() {
              throw new Error('out of order');
            },
          },
          steal: { run: (args) => steal(args as unknown as Credentials) },
        },
      },
    },
  },
);
url = server.url;
afterAll(() => server.close());

const run = async (code: string, sessionId?: string) =>
  (await ask(`${url}/execute`, { json: { code, check: false, ...(sessionId ? { sessionId } : {}) } })).body;
const call = ({ execution, token }: Credentials, changed: Record<string, unknown> = {}) =>
  ask(`${url}/internal/mcp-call`, {
    json: { executionId: execution, tool: 'shop__price', args: { item: 'x' }, ...changed },
    headers: { authorization: `Bearer ${token}` },
  });

test('a guest without a pipe calls tools, and its calls are those of its execution', async () => {
  const result = await run('return [await callMCPTool("shop__price", {item: "tea"}), (await list_mcp_tools()).length]');
  expect(result).toMatchObject({ status: 'completed', value: [{ price: 3 }, 3] });
  expect(result.calls).toMatchObject([{ tool: 'shop__price', status: 'answered' }]);
  const details = await run('return [await get_mcp_tool_details("shop__price"), await search_tools("price of item")]');
  expect(details.value[0]).toContain('item: string');
  expect(details.value[1][0].name).toBe('shop__price');
});

test('what a tool refuses, and arguments that do not fit, reach the guest with their codes', async () => {
  const tried = (code: string) => run(`try { await ${code} } catch (error) { return [error.code, error.message] }`);
  expect((await tried('callMCPTool("shop__broken", {})')).value).toEqual([
    'TOOL_FAILED',
    expect.stringMatching('order'),
  ]);
  expect((await tried('callMCPTool("shop__price", {})')).value[0]).toBe('INVALID_ARGUMENTS');
  expect((await tried('callMCPTool("shop__prize", {})')).value[0]).toBe('UNKNOWN_TOOL');
});

test('a token opens its own execution and session alone, and nothing once that has ended', async () => {
  const [session, other] = await Promise.all(
    [1, 2].map(async () => (await ask(`${url}/sessions`, { json: {} })).body.sessionId),
  );
  let stolen: Credentials = { execution: '', token: '' };
  const tries: [string, number][] = [];
  steal = async (credentials) => {
    stolen = credentials;
    const send = async (name: string, asked: Promise<{ status: number }>) => tries.push([name, (await asked).status]);
    await send('own', call(credentials));
    await send('own session', call(credentials, { sessionId: session }));
    await send('other session', call(credentials, { sessionId: other }));
    await send('other execution', call({ ...credentials, execution: crypto.randomUUID() }));
    await send('no token', call({ ...credentials, token: '' }));
    const flipped = `${credentials.token.slice(0, -2)}${credentials.token.endsWith('AA') ? 'BB' : 'AA'}`;
    await send('almost the token', call({ ...credentials, token: flipped }));
    await send('half of the token', call({ ...credentials, token: credentials.token.slice(0, 20) }));
    await send('two tokens', call({ ...credentials, token: `${credentials.token}, Bearer x` }));
    return true;
  };
  const result = await run('return callMCPTool("shop__steal", credentials)', session);
  expect([result.status, tries]).toEqual([
    'completed',
    [
      ['own', 200],
      ['own session', 200],
      ['other session', 401],
      ['other execution', 401],
      ['no token', 401],
      ['almost the token', 401],
      ['half of the token', 401],
      ['two tokens', 401],
    ],
  ]);
  // 32 bytes, in base64url.
  expect(stolen.token).toMatch(/^[\w-]{43}$/);
  const before = called.length;
  const late = await call(stolen);
  expect([late.status, late.body.code, late.headers.get('www-authenticate')]).toEqual([
    401,
    'UNAUTHENTICATED',
    'Bearer',
  ]);
  expect(called).toHaveLength(before);
  expect([...server.logged, JSON.stringify(late.body)].filter((line) => line.includes(stolen.token))).toEqual([]);
});

test('two guests at once never get in at each other', async () => {
  const tokens: Credentials[] = [];
  let both: () => void = () => undefined;
  const bothHere = new Promise<void>((resolve) => {
    both = resolve;
  });
  steal = async (credentials) => {
    tokens.push(credentials);
    if (tokens.length === 2) both();
    await bothHere;
    const other = tokens.find(({ token }) => token !== credentials.token);
    return (await call({ execution: other?.execution ?? '', token: credentials.token })).status;
  };
  const results = await Promise.all([1, 2].map(() => run('return callMCPTool("shop__steal", credentials)')));
  expect(results.map(({ value }) => value)).toEqual([401, 401]);
});

test('10,000 forged tokens open nothing', async () => {
  using execution = remote.begin({
    bridge: { request: async () => ({ ok: true, payload: '"in"' }), notice: () => undefined },
  });
  let opened = 0;
  for (let index = 0; index < 10_000; index++) {
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    if (await remote.request({ token, execution: execution.id }, ['list'])) opened++;
  }
  expect(opened).toBe(0);
  const right = { token: execution.token, execution: execution.id };
  expect(await remote.request(right, ['list'])).toEqual({ ok: true, payload: '"in"' });
});
