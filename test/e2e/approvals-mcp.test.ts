import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { type McpOptions, mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number> };
const PAY = (...amounts: number[]) =>
  `return Promise.all([${amounts}].map((amount) => callMCPTool('bank__pay', { amount })))`;
const approve: Reply = { action: 'accept', content: { decision: 'approve' } };

async function start(graceMs = 20_000, options: Partial<McpOptions> = {}) {
  const paid: unknown[] = [];
  const inputSchema = { type: 'object', properties: { amount: {}, to: {} } };
  const pay = { description: 'Pays', inputSchema, run: (args: unknown) => paid.push(args) };
  const toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    check: false,
    tools: { bank: { tools: { pay } } },
    policy: { preset: 'careful' },
    waits: { graceMs },
  });
  closers.push(() => toolwright.close());
  const endpoint = endpointOf(toolwright, options);
  return { toolwright, paid, endpoint };
}

function endpointOf(toolwright: Toolwright, options: Partial<McpOptions> = {}) {
  const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: silent, ...options }), silent);
  closers.push(() => endpoint.close());
  return endpoint;
}

/** Connects a client of a user. `reply` decides; without it, the client has no elicitation. */
async function connect(
  endpoint: ReturnType<typeof endpointOf>,
  { era = 'modern', user = 'ada', reply }: { era?: string; user?: string; reply?: (message: string) => Reply } = {},
) {
  const authInfo: AuthInfo = { token: 't', clientId: user, scopes: [], extra: { user } };
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  const capabilities = reply ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode }, capabilities });
  const shown: string[] = [];
  if (reply) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      shown.push(params.message);
      return reply(params.message);
    });
  }
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), { authInfo });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  closers.push(() => client.close());
  const run = (code: string) => client.callTool({ name: 'execute_code', arguments: { code }, ...WITH_DATA });
  return { client, shown, run };
}

describe.each(['legacy', 'modern'])('the user of a client of the %s era', (era) => {
  it.each([20_000, 0])(
    'approves a call in the client, and the same execution goes on (grace %i ms)',
    async (graceMs) => {
      const { endpoint, paid } = await start(graceMs);
      const { run, shown } = await connect(endpoint, { era, reply: () => approve });
      const answer = await run(`const first = await callMCPTool('bank__pay', { amount: 7 });
      return [first, await callMCPTool('bank__pay', { amount: 8 })]`);
      expect(answer.structuredContent).toEqual({ value: [1, 2] });
      expect(paid).toEqual([{ amount: 7 }, { amount: 8 }]);
      expect(shown.map((text) => /\{.*\}/.exec(text)?.[0])).toEqual(['{"amount":7}', '{"amount":8}']);
    },
  );

  it('reads the values in the form, and the model reads placeholders', async () => {
    const { endpoint, paid } = await start();
    const { run, shown } = await connect(endpoint, { era, reply: () => approve });
    const answer = await run(`const to = 'ada@lovelace.org';
      await callMCPTool('bank__pay', { amount: 7, to }); return to`);
    expect(paid).toEqual([{ amount: 7, to: 'ada@lovelace.org' }]);
    expect(shown.join()).toContain('ada@lovelace.org');
    expect(JSON.stringify(answer)).not.toContain('lovelace');
  });

  it('denies with decline', async () => {
    const { endpoint, paid } = await start();
    const { run } = await connect(endpoint, { era, reply: () => ({ action: 'decline' }) });
    expect((await run(PAY(1))).structuredContent).toMatchObject({ error: { code: 'APPROVAL_DENIED' } });
    expect(paid).toEqual([]);
  });

  it('leaves the question open with cancel', async () => {
    const { endpoint, paid, toolwright } = await start();
    const { run } = await connect(endpoint, { era, reply: () => ({ action: 'cancel' }) });
    const answer = await run(PAY(1));
    const { executionId, status } = answer.structuredContent as Record<string, string>;
    expect([status, textOf(answer)]).toEqual([
      'suspended',
      expect.stringContaining(`executions approve ${executionId}`),
    ]);
    expect(await toolwright.executions.questions(String(executionId), 'ada')).toHaveLength(1);
    expect(paid).toEqual([]);
  });

  it('decides about parallel calls at once, and about the next calls of a tool', async () => {
    const { endpoint, paid } = await start();
    const all = await connect(endpoint, {
      era,
      reply: () => ({ action: 'accept', content: { decision: 'approve_all' } }),
    });
    expect((await all.run(PAY(1, 2, 3))).structuredContent).toEqual({ value: [1, 2, 3] });
    const next: Reply = { action: 'accept', content: { decision: 'approve', next: 2 } };
    const some = await connect(endpoint, { era, reply: () => next });
    await some.run(`for (const amount of [4, 5, 6]) await callMCPTool('bank__pay', { amount })`);
    expect([all.shown.length, some.shown.length, paid.length]).toEqual([1, 1, 6]);
  });

  it('approves later programs too: for the tool, or with the same arguments, until it is revoked', async () => {
    const { endpoint, paid, toolwright } = await start();
    let lasts = 'once';
    const reply = (): Reply => ({ action: 'accept', content: { decision: 'approve', lasts } });
    const ada = await connect(endpoint, { era, reply });
    const asked = async (client: typeof ada, amount: number) => {
      const before = client.shown.length;
      expect((await client.run(PAY(amount))).structuredContent).toMatchObject({ value: [expect.any(Number)] });
      return client.shown.length - before;
    };
    expect([await asked(ada, 1), await asked(ada, 1)]).toEqual([1, 1]);
    lasts = 'always_with_these_arguments';
    expect([await asked(ada, 2), await asked(ada, 2), await asked(ada, 3)]).toEqual([1, 0, 1]);
    lasts = 'always_for_tool';
    expect([await asked(ada, 4), await asked(ada, 5)]).toEqual([1, 0]);
    const bob = await connect(endpoint, { era, user: 'bob', reply: () => approve });
    expect(await asked(bob, 5)).toBe(1);
    const kept = await toolwright.lastingDecisions.list('ada');
    expect(kept.map((each) => [each.tool, each.arguments, each.by])).toEqual([
      ['bank__pay', 'exact', 'ada'],
      ['bank__pay', 'exact', 'ada'],
      ['bank__pay', 'any', 'ada'],
    ]);
    for (const { id } of kept) await toolwright.lastingDecisions.revoke('ada', id);
    lasts = 'once';
    expect([await asked(ada, 5), paid.length]).toEqual([1, 9]);
  });

  it('keeps no approval of a denial, and refuses a duration that the form does not have', async () => {
    const { endpoint, paid, toolwright } = await start();
    let content = { decision: 'deny', lasts: 'always_for_tool' };
    const { run } = await connect(endpoint, { era, reply: () => ({ action: 'accept', content }) });
    expect((await run(PAY(1))).structuredContent).toMatchObject({ error: { code: 'APPROVAL_DENIED' } });
    content = { decision: 'approve', lasts: 'forever' };
    expect(textOf(await run(PAY(1)))).toContain('No call was decided');
    expect([paid, await toolwright.lastingDecisions.list('ada')]).toEqual([[], []]);
  });

  it('without forms, or where approvals over MCP are off, gets the id and where to decide', async () => {
    const { endpoint, toolwright, paid } = await start(0);
    const off = endpointOf(toolwright, { mayDecide: false });
    for (const client of [await connect(endpoint, { era }), await connect(off, { era, reply: () => approve })]) {
      const answer = await client.run(PAY(1));
      const { executionId, status } = answer.structuredContent as Record<string, string>;
      expect([status, textOf(answer)]).toEqual(['suspended', expect.stringContaining(`approve ${executionId}`)]);
      expect(client.shown).toEqual([]);
    }
    expect(paid).toEqual([]);
  });

  it('without forms reads the value after the decision', async () => {
    const { endpoint, toolwright } = await start(0);
    const { run, client } = await connect(endpoint, { era });
    const { executionId = '' } = (await run(PAY(1))).structuredContent as Record<string, string>;
    const stats = () => client.callTool({ name: 'get_execution_stats', arguments: { executionId }, ...WITH_DATA });
    expect((await stats()).structuredContent).toMatchObject({ status: 'suspended', waitingFor: ['approval'] });
    await toolwright.executions.decide(executionId, { action: 'approve', userId: 'ada' });
    await toolwright.executions.resume(executionId, { userId: 'ada' });
    expect((await stats()).structuredContent).toEqual({ value: [1] });
    expect((await run(`return await execution('${executionId}')`)).structuredContent).toEqual({ value: [1] });
    const other = await connect(endpoint, { era, user: 'bob' });
    const foreign = await other.client.callTool({
      name: 'get_execution_stats',
      arguments: { executionId },
      ...WITH_DATA,
    });
    expect(foreign.structuredContent).toMatchObject({ error: { code: 'UNKNOWN_EXECUTION' } });
  });
});

describe('the state of a question', () => {
  /** Asks, and returns a function that retries the call with an answer. */
  async function asked(code = PAY(1), options: Partial<McpOptions> = {}) {
    const served = await start(20_000, options);
    const { client } = await connect(served.endpoint, { reply: () => approve });
    const call = (name: string, args: object, more: object = {}, by = client) =>
      by.callTool(
        { name, arguments: { ...args }, ...WITH_DATA, ...more } as never,
        { allowInputRequired: true } as never,
      ) as Promise<Record<string, unknown>>;
    const first = await call('execute_code', { code });
    expect(first.resultType).toBe('input_required');
    const state = String(first.requestState);
    const retry = (changed: { state?: string; code?: string; by?: Client; reply?: Reply } = {}) =>
      call(
        'execute_code',
        { code: changed.code ?? code },
        { requestState: changed.state ?? state, inputResponses: { approval: changed.reply ?? approve } },
        changed.by,
      );
    return { ...served, retry, state };
  }

  it('is refused when it is forged, of another user, or of another server', async () => {
    const { retry, state, endpoint, paid, toolwright } = await asked();
    const forged = state.replace(/\.(.)/, (_, letter) => `.${letter === 'e' ? 'f' : 'e'}`);
    await expect(retry({ state: forged })).rejects.toThrow(/requestState/);
    const { client: eve } = await connect(endpoint, { user: 'eve', reply: () => approve });
    await expect(retry({ by: eve })).rejects.toThrow(/requestState/);
    const { client: other } = await connect(endpointOf(toolwright), { reply: () => approve });
    await expect(retry({ by: other })).rejects.toThrow(/requestState/);
    expect(paid).toEqual([]);
  });

  it('is accepted by another server of the data folder', async () => {
    const stateKey = () => Buffer.alloc(32, 1);
    const { retry, toolwright, paid } = await asked(PAY(1), { stateKey });
    const { client } = await connect(endpointOf(toolwright, { stateKey }), { reply: () => approve });
    expect(await retry({ by: client })).toMatchObject({ structuredContent: { value: [1] } });
    expect(paid).toEqual([{ amount: 1 }]);
  });

  it('decides once, and only with the arguments of its call', async () => {
    const { retry, paid } = await asked();
    expect(await retry({ code: PAY(99) })).toMatchObject({
      structuredContent: { error: { code: 'INVALID_ARGUMENTS' } },
    });
    const wrong: Reply = { action: 'accept', content: { decision: 'yes' } };
    expect(await retry({ reply: wrong })).toMatchObject({
      structuredContent: { error: { code: 'INVALID_ARGUMENTS' } },
    });
    expect(paid).toEqual([]);
    expect(await retry()).toMatchObject({ structuredContent: { value: [1] } });
    expect(await retry()).toMatchObject({ structuredContent: { error: { code: 'EXECUTION_ENDED' } } });
    expect(paid).toEqual([{ amount: 1 }]);
  });
});

it('shows hostile arguments as data, and leaves calls that are too long for a form to others', async () => {
  const { endpoint, paid } = await start(0);
  const { run, shown } = await connect(endpoint, { reply: () => ({ action: 'decline' }) });
  await run("return callMCPTool('bank__pay', { to: '\\u202e</b>\\n```\\u001b[31m approve_all' })");
  expect(shown).toHaveLength(1);
  expect(String(shown[0]).split('\n\n').at(-1)).toBe(
    '    {"to":"\\u202e\\u003c/b\\u003e\\n\\u0060\\u0060\\u0060\\u001b[31m approve_all"}',
  );
  const long = await run("return callMCPTool('bank__pay', { to: 'x'.repeat(5000) })");
  expect(long.structuredContent).toMatchObject({ status: 'suspended' });
  expect([shown.length, paid]).toEqual([1, []]);
});
