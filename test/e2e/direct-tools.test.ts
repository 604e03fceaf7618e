import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { type Connected, connectClient, textOf, WAYS_IN_SHORT } from '../fixtures/mcp-clients.ts';
import { partial } from '../fixtures/partial.ts';
import { fixture, until } from '../fixtures/server.ts';

const desk = openDesk();
desk.write('toolwright.json', {
  mcpServers: { basic: fixture('basic') },
  direct: ['basic__echo', 'basic__progress'],
  callers: { basic__boom: 'direct' },
  policy: { rules: [{ tools: 'basic__echo', arguments: { properties: { value: { const: 'no' } } }, action: 'deny' }] },
});

describe.each(WAYS_IN_SHORT)('over $transport, era $era,', (way) => {
  let connected: Connected;
  beforeAll(async () => {
    connected = await connectClient(desk, way);
  });
  afterAll(() => connected.close());
  const call = async (name: string, args: Record<string, unknown>) => {
    const answer = await connected.client.callTool({ name, arguments: args });
    return { text: textOf(answer), isError: answer.isError === true };
  };

  test('chosen tools are tools of the client, with their schemas', async () => {
    // A server that starts slowly comes with a later list.
    const list = async () => (await connected.client.listTools()).tools;
    await until(async () => (await list()).some(({ name }) => name === 'basic__boom'));
    const tools = await list();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['execute_code', 'basic__echo', 'basic__boom']));
    expect(names.filter((name) => name.startsWith('basic__'))).toEqual([
      'basic__boom',
      'basic__echo',
      'basic__progress',
    ]);
    const echo = tools.find(({ name }) => name === 'basic__echo');
    expect(echo).toMatchObject({ inputSchema: { type: 'object' }, annotations: {} });
  });

  test('a direct call goes through policy and journal, as one execution', async () => {
    expect(await call('basic__echo', { value: 'hello' })).toEqual({ text: 'hello', isError: false });
    const denied = await call('basic__echo', { value: 'no' });
    expect(denied).toEqual({ text: expect.stringMatching(/^POLICY_DENIED: /), isError: true });
    expect((await call('basic__boom', {})).isError).toBe(true);
  });

  test('progress of the tool reaches the client', async () => {
    const seen: unknown[] = [];
    const request = { name: 'basic__progress', arguments: { steps: 20 } };
    const answer = await connected.client.callTool(request, { onprogress: (report) => seen.push(report) });
    expect(textOf(answer)).toBe('done');
    expect(seen[0]).toMatchObject({ progress: expect.any(Number), total: 20, message: expect.stringMatching(/^step/) });
  });

  test('a tool of programs alone is answered with the program to write', async () => {
    const { tools } = await connected.client.listTools();
    const found = await call('execute_code', { code: 'return (await list_mcp_tools()).map(({ name }) => name)' });
    const [other = ''] = (JSON.parse(found.text) as string[]).filter((id) => !tools.some(({ name }) => name === id));
    const { text, isError } = await call(other, {});
    expect(isError).toBe(true);
    expect(text).toContain(`callMCPTool("${other}"`);
  });

  test('a tool of the client alone is unknown to programs, with the reason', async () => {
    const found = await call('execute_code', { code: 'return (await list_mcp_tools()).map(({ name }) => name)' });
    expect(JSON.parse(found.text)).not.toContain('basic__boom');
    const code = 'return callMCPTool("basic__boom", {})';
    const { text, isError } = await call('execute_code', { code });
    expect([isError, text]).toEqual([true, expect.stringContaining('Programs cannot call it')]);
  });
});

/** Connects a client in this process to a Toolwright with these inline tools, all of which are direct. */
async function connectInline(tools: Parameters<typeof createToolwright>[0] & object) {
  const folder = openDesk();
  const config = folder.write('toolwright.json', { direct: ['*'] });
  const toolwright = await createToolwright({
    ...{ config, dataDir: temporaryFolder(), sandbox: 'quickjs', waits: { graceMs: 0 } },
    ...tools,
  });
  const logger = { warn: () => undefined, error: () => undefined };
  const factory = mcpServers({ open: async () => toolwright, logger: partial(logger), hasDirect: true });
  const server = await factory({ era: 'legacy' } as never);
  const [own, other] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await Promise.all([server.connect(other), client.connect(own)]);
  return {
    client,
    toolwright,
    async [Symbol.asyncDispose]() {
      await client.close();
      await toolwright.close();
    },
  };
}

const inputSchema = { type: 'object' } as const;

test('results have the declared structure, and annotations are passed on', async () => {
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
  const annotations = { readOnlyHint: true, title: 'Adds' };
  const add = { description: 'Adds', inputSchema, outputSchema, annotations, run: () => ({ sum: 3 }) };
  await using connected = await connectInline({ tools: { maths: { tools: { add } } } });
  const { tools } = await connected.client.listTools();
  expect(tools.find(({ name }) => name === 'maths__add')).toMatchObject({ outputSchema, annotations });
  const answer = await connected.client.callTool({ name: 'maths__add', arguments: {} });
  expect([answer.structuredContent, textOf(answer)]).toEqual([{ sum: 3 }, '{"sum":3}']);
});

test('arguments reach the tool as they are, also with a member __proto__', async () => {
  const seen: string[] = [];
  const run = (args: unknown) => {
    seen.push(JSON.stringify(args));
    return 'ok';
  };
  await using connected = await connectInline({
    tools: { a: { tools: { take: { description: 'Takes', inputSchema, run } } } },
  });
  const args = JSON.parse('{"kept":{"__proto__":{"x":1}},"text":"$a `b` \\u2028 \\"c\\" </script>"}');
  const { isError } = await connected.client.callTool({ name: 'a__take', arguments: args });
  expect([isError, seen]).toEqual([undefined, [JSON.stringify(args)]]);
});

test('names are valid for clients, and different for different tools', async () => {
  const tool = { description: 'Does', inputSchema, run: () => 'done' };
  const long = 'x'.repeat(90);
  const names = ['a.b', 'a/b', 'a b', 'a_b', long, `${long}y`, '__proto__', 'constructor'];
  const tools = Object.fromEntries(names.map((name) => [name, tool]));
  Object.defineProperty(tools, '__proto__', { value: tool, enumerable: true });
  await using connected = await connectInline({ tools: { odd: { tools } } });
  const listed = (await connected.client.listTools()).tools.map(({ name }) => name).filter((name) => /^odd/.test(name));
  expect(listed).toHaveLength(names.length);
  expect(new Set(listed).size).toBe(listed.length);
  for (const name of listed) {
    expect(name).toMatch(/^[\w-]{1,64}$/);
    expect(textOf(await connected.client.callTool({ name, arguments: {} }))).toBe('done');
  }
});

test('the list changes with the servers, and clients are notified', async () => {
  const tool = { description: 'Does', inputSchema, run: () => 'done' };
  await using connected = await connectInline({ tools: { one: { tools: { run: tool } } } });
  const { client, toolwright } = connected;
  let changes = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes++;
  });
  await client.listTools();
  const before = changes;
  await toolwright.addServer('two', { tools: { run: tool } });
  await until(() => changes > before);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('two__run');
  await toolwright.removeServer('two');
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('two__run');
  expect((await client.callTool({ name: 'two__run', arguments: {} })).isError).toBe(true);
});
