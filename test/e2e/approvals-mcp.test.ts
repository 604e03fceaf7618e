import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { McpOptions } from '../../packages/server/src/mcp.ts';
import { approve, connect, endpointOf, PAY, type Reply, start, testUser } from '../fixtures/approvals-mcp.ts';
import { WITH_DATA } from '../fixtures/mcp-clients.ts';

describe('the user of a client of the modern era', () => testUser('modern'));

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
