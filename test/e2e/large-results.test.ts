import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../packages/core/src/history/result.ts';
import { loadTokenizer } from '../../packages/core/src/telemetry/tokens.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { executionResponse } from '../../packages/server/src/agent/loop/tool-response.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { ask, startApi } from '../fixtures/http-server.ts';
import { partial } from '../fixtures/partial.ts';

const MAX_PREVIEW_TOKENS = 2_000;
const LARGE = `console.log('first line'); for (let n = 0; n < 900; n++) console.log('line ' + n);
return { orders: Array.from({ length: 2_000 }, (_, n) => ({ id: 'o' + n, total: n, note: 'x'.repeat(40) })), next: null };`;
const HANDLE = /await execution\("([\w-]+)"\)/;
const LOG_HANDLE = /await execution\("([\w-]+)", "logs"\)/;
/** Reads the value and the logs of another execution. */
const reader = (id: string) =>
  `const all = await execution("${id}"); const logs = await execution("${id}", "logs");
return [all.orders.length, all.orders[1999].id, logs.length, logs[900]];`;
const READ = [2_000, 'o1999', 901, 'line 899'];

const dataDir = temporaryFolder();
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
const api = await startApi({}, { dataDir });
const { toolwright } = api;
const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
const count = await loadTokenizer();
afterAll(async () => {
  await endpoint.close();
  await api.close();
});

async function mcpClient(user: string): Promise<Client> {
  const authInfo: AuthInfo = { token: 't', clientId: user, scopes: [], extra: { user } };
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), { authInfo });
  const client = new Client({ name: user, version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  return client;
}

async function mcpText(client: Client, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name: 'execute_code', arguments: args });
  return (content as { text: string }[])[0]?.text ?? '';
}

function idIn(text: string, handle = HANDLE): string {
  const id = handle.exec(text)?.[1];
  if (id === undefined) throw new Error(`no handle in: ${text.slice(0, 500)}`);
  return id;
}

function completedValue(result: ExecutionResult): unknown {
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  return result.value;
}

describe('the next program reads a large result and long logs by the handle in the preview', () => {
  it.each([undefined, 'new'])('over MCP, with the session %s', async (sessionId) => {
    const client = await mcpClient('ann');
    const text = await mcpText(client, { code: LARGE, ...(sessionId ? { sessionId } : {}) });
    expect(idIn(text, LOG_HANDLE)).toBe(idIn(text));
    expect(text).toContain('{"id":"o0","total":0,');
    expect(text).toContain('… 1997 more');
    expect(JSON.parse((await mcpText(client, { code: reader(idIn(text)) })).split('\n')[0] ?? '')).toEqual(READ);
  });

  it('over HTTP', async () => {
    const { body } = await ask(`${api.url}/execute`, { json: { code: LARGE } });
    const again = await ask(`${api.url}/execute`, { json: { code: reader(idIn(body.value)) } });
    expect(again.body.value).toEqual(READ);
  });

  it('with the library, in Python, and after a restart', async () => {
    const folder = temporaryFolder();
    const open = () => createToolwright({ dataDir: folder, sandbox: 'quickjs' });
    let id = '';
    {
      await using first = await open();
      id = idIn(String(completedValue(await first.execute(LARGE))));
    }
    await using again = await createToolwright({ dataDir: folder });
    expect(completedValue(await again.execute(reader(id)))).toEqual(READ);
    const python = `all = await execution("${id}")\n[len(all["orders"]), (await execution("${id}", "logs"))[0]]`;
    expect(completedValue(await again.execute(python, { language: 'python' }))).toEqual([2_000, 'first line']);
  });

  it('at the command line', async () => {
    const desk = openDesk({});
    const { out } = await desk.run(['run', '-e', LARGE]);
    const again = await desk.run(['run', '--json', '-e', reader(idIn(out))]);
    expect(JSON.parse(again.out).value).toEqual(READ);
  });
});

describe('the handle of a large result', () => {
  it('is unknown to other users', async () => {
    const id = idIn(String(completedValue(await toolwright.execute(LARGE, { userId: 'ann' }))));
    for (const part of ['', ', "logs"']) {
      const result = await toolwright.execute(`return await execution("${id}"${part})`, { userId: 'bob' });
      expect(result).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_EXECUTION' } });
    }
  });

  it('has a clear error when the value was removed', async () => {
    const id = idIn(String(completedValue(await toolwright.execute(LARGE))));
    const [folder = ''] = readdirSync(join(dataDir, 'executions')).filter((name) => name === `${id}.files`);
    rmSync(join(dataDir, 'executions', folder), { recursive: true });
    const result = await toolwright.execute(`return await execution("${id}")`);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'UNKNOWN_EXECUTION', message: `The value of execution ${id} was removed. Run its program again.` },
    });
  });

  it.each([
    ['50000 different names', "return Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => ['k' + i, i]))"],
    ['1000000 values', 'return Array.from({ length: 1_000_001 }, () => 1)'],
  ])('is not promised for a result with more than %s', async (limit, code) => {
    const result = await toolwright.execute(code, { check: false });
    const { executionId } = result;
    expect(completedValue(result)).toContain(
      `It has more than ${limit}, so no program can read it by execution("${executionId}"): return less, or a list of pairs.]`,
    );
    const again = await toolwright.execute(`return await execution("${executionId}")`);
    expect(again).toMatchObject({ status: 'failed', error: { code: 'RESULT_TOO_LARGE' } });
  });

  it('takes no other part', async () => {
    const { executionId } = await toolwright.execute('return 1');
    const result = await toolwright.execute(`return await execution("${executionId}", "stack")`, { check: false });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'INVALID_ARGUMENTS' } });
  });
});

describe('a preview has at most 2,000 tokens', () => {
  it.each([
    ['rows', LARGE],
    ['one long text', `return 'word '.repeat(50_000)`],
    ['dense text', `return Array.from({ length: 90_000 }, () => Math.random().toString(36)[2]).join('')`],
    ['text of another script', `return '漢字仮名'.repeat(20_000)`],
    [
      'many keys',
      `return Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => ['key' + n, { a: [n], b: 'x'.repeat(99) }]))`,
    ],
    ['a table in a list of lists', `return Array.from({ length: 3_000 }, (_, n) => [n, 'cell', n / 7, null, true])`],
    [
      'long texts in rows',
      `return Array.from({ length: 90 }, (_, n) => ({ n, html: '<p>' + 'lorem ipsum '.repeat(500) }))`,
    ],
    ['deep values', `let a = 'end'; for (let n = 0; n < 150; n++) a = { a, text: 'x'.repeat(400) }; return a`],
    ['emoji in logs', `for (let n = 0; n < 900; n++) console.log('👩‍🚀🫶🏽'.repeat(3)); return 1`],
    ['dense logs', `for (let n = 0; n < 900; n++) console.log(Math.random().toString(36)); return 1`],
  ])('of %s', async (_name, code) => {
    const text = executionResponse(await toolwright.execute(code)).text;
    expect(count(text)).toBeLessThanOrEqual(2 * MAX_PREVIEW_TOKENS);
    const [value = '', logs = ''] = text.split('\nlogs:\n');
    expect([count(value), count(logs)].map((tokens) => tokens <= MAX_PREVIEW_TOKENS)).toEqual([true, true]);
    expect(text).toMatch(/await execution\("/);
  });
});
